"""The pictures of bench/convergence: smoothed training losses as lines, validation losses as points, one colour a way."""
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 460, 58, 16, 16, 48
COLOURS = ("#3b5fc0", "#d9660a", "#2a8a4a", "#8a3fb0", "#b0203a", "#6b6b6b", "#0a8f96", "#a08000")  # of the ways, in turn


def draw_curves(curves):
    """`curves`: of every run its way, the way's name, and [(tokens, loss)] of training and of validation. Returns SVG."""
    losses = [loss for curve in curves for _, loss in curve["train"][1:] + curve["validation"]]
    most_tokens = max(curve["train"][-1][0] for curve in curves)
    low, high = math.floor(min(losses) * 10) / 10, math.ceil(max(losses) * 10) / 10

    def x(tokens):
        return LEFT + tokens / most_tokens * (WIDTH - LEFT - RIGHT)

    def y(loss):
        return TOP + (high - min(loss, high)) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def text(at_x, at_y, words, anchor="middle", more=""):
        return f'<text x="{at_x:.0f}" y="{at_y:.0f}" text-anchor="{anchor}"{more}>{words}</text>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for tenth in range(round(low * 10), round(high * 10) + 1, 2):
        loss = tenth / 10
        parts.append(f'<line x1="{LEFT}" y1="{y(loss):.1f}" x2="{WIDTH - RIGHT}" y2="{y(loss):.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, y(loss) + 4, f"{loss:.1f}", "end"))
    for half in range(int(most_tokens // 500_000) + 1):
        parts.append(text(x(half * 500_000), HEIGHT - BOTTOM + 20, f"{half / 2:g}"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "million tokens"))
    parts.append(text(16, HEIGHT / 2, "loss, nats per byte", more=f' transform="rotate(-90 16 {HEIGHT / 2:.0f})"'))
    names = {}
    for curve in curves:
        if curve["way"] not in names:
            names[curve["way"]] = (curve["name"], COLOURS[len(names)])
        colour = names[curve["way"]][1]
        points = " ".join(f"{x(tokens):.1f},{y(loss):.1f}" for tokens, loss in curve["train"])
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.2" stroke-opacity="0.7"/>')
        parts += [f'<circle cx="{x(tokens):.1f}" cy="{y(loss):.1f}" r="3" fill="{colour}" fill-opacity="0.7"/>'
                  for tokens, loss in curve["validation"]]
    key = WIDTH - RIGHT - 48 - 7 * max(len(name) for name, _ in names.values())  # where the key begins
    parts.append(f'<rect x="{key - 8}" y="{TOP + 4}" width="{WIDTH - RIGHT - key}" height="{26 + 20 * len(names)}" fill="white"/>')
    for row, (name, colour) in enumerate(names.values()):
        at = TOP + 18 + 20 * row
        parts.append(f'<line x1="{key}" y1="{at}" x2="{key + 28}" y2="{at}" stroke="{colour}" stroke-width="2.5"/>')
        parts.append(text(key + 36, at + 4, name, "start"))
    parts.append(text(key, TOP + 22 + 20 * len(names), "lines: training, smoothed; points: validation", "start"))
    return "\n".join(parts) + "\n</svg>\n"
