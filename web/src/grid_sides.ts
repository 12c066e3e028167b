// The three sides of a large grid that the camera sees, each as one rectangle whose shader draws the cells: software
// rendering takes 18 µs for each cell of its own, so thousands of them would take longer than a picture may.
import { BufferAttribute, BufferGeometry, DataTexture, DoubleSide, Group, Mesh, ShaderMaterial, Vector2, Vector3 } from "three";
import type { Looks } from "./grid_cells";
import type { GridLayout, Vector } from "./grid_layout";

const kAlong: [number, number][] = [[2, 1], [0, 2], [0, 1]]; // the directions in which the side across a direction extends
const kVertex = `
  attribute vec2 place;
  varying vec2 at;
  void main() {
    at = place;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  }`;
// `at` counts cells. A border that is narrower than a pixel darkens it by its share.
const kFragment = `
  uniform sampler2D tints;
  uniform vec2 counts, gap;
  uniform vec3 border;
  uniform float shade;
  varying vec2 at;
  void main() {
    vec2 within = fract(at);
    vec2 inside = clamp((min(within, 1.0 - within) - gap) / fwidth(at) + 0.5, 0.0, 1.0);
    vec2 smallest = clamp(2.0 * fwidth(at) - 1.0, 0.0, 1.0);
    inside = mix(inside, 1.0 - 2.0 * gap, smallest);
    vec3 tint = texture2D(tints, (clamp(floor(at), vec2(0.0), counts - 1.0) + 0.5) / counts).rgb;
    gl_FragColor = vec4(mix(border, tint * shade, inside.x * inside.y), 1.0);
  }`;

interface Side {
  across: number; // direction: 0, 1 or 2
  ranks: Uint32Array; // by texel
  mesh: Mesh<BufferGeometry, ShaderMaterial>;
  tints: DataTexture;
}

export class Sides {
  readonly group = new Group();
  private readonly sides: Side[];

  constructor(private readonly layout: GridLayout) {
    this.sides = [0, 1, 2].map((across) => this.make(across));
  }

  private make(across: number): Side {
    const { counts, place, cell } = this.layout;
    const [u, v] = kAlong[across];
    const tints = new DataTexture(new Uint8Array(4 * counts[u] * counts[v]), counts[u], counts[v]);
    const gap = (i: number): number => (1 - cell[i] / place[i]) / 2;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(12), 3));
    geometry.setAttribute("place", new BufferAttribute(new Float32Array([0, 0, counts[u], 0, 0, counts[v], counts[u], counts[v]]), 2));
    geometry.setIndex([0, 1, 2, 2, 1, 3]);
    const mesh = new Mesh(geometry, new ShaderMaterial({
      vertexShader: kVertex, fragmentShader: kFragment, side: DoubleSide,
      uniforms: { tints: { value: tints }, counts: { value: new Vector2(counts[u], counts[v]) }, gap: { value: new Vector2(gap(u), gap(v)) }, border: { value: new Vector3() }, shade: { value: 1 } },
    }));
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return { across, ranks: new Uint32Array(counts[u] * counts[v]), mesh, tints };
  }

  // Takes the sides that are seen from a corner: bits 0 to 2 tell on which side of the middle it is.
  place(corner: number): void {
    const { layout } = this;
    for (const { across, ranks, mesh } of this.sides) {
      const [u, v] = kAlong[across];
      const is_far = (corner & (1 << across)) !== 0;
      const edge = layout.half[across] - (layout.place[across] - layout.cell[across]) / 2;
      const position = mesh.geometry.getAttribute("position") as BufferAttribute;
      for (let i = 0; i < 4; ++i) {
        const at: Vector = [0, 0, 0];
        at[across] = is_far ? edge : -edge;
        at[u] = (i & 1 ? 1 : -1) * layout.half[u] * (u === 2 ? -1 : 1); // stages go to the back
        at[v] = (i & 2 ? 1 : -1) * layout.half[v] * (v === 2 ? -1 : 1);
        position.setXYZ(i, ...at);
      }
      position.needsUpdate = true;
      const cell: Vector = [0, 0, 0];
      cell[across] = is_far !== (across === 2) ? layout.counts[across] - 1 : 0;
      for (let texel = 0; texel < ranks.length; ++texel) {
        cell[u] = texel % layout.counts[u];
        cell[v] = Math.floor(texel / layout.counts[u]);
        ranks[texel] = layout.rank_at(cell);
      }
      mesh.material.uniforms.shade.value = across === 1 ? (is_far ? 1 : 0.55) : across === 0 ? 0.8 : 0.66;
    }
  }

  // `border`: colour between the cells, 0 to 255.
  paint({ colours }: Looks, border: readonly number[]): void {
    for (const { ranks, mesh, tints } of this.sides) {
      const data = tints.image.data;
      ranks.forEach((rank, texel) => {
        for (let part = 0; part < 3; ++part) data[4 * texel + part] = colours[3 * rank + part];
        data[4 * texel + 3] = 255;
      });
      tints.needsUpdate = true;
      (mesh.material.uniforms.border.value as Vector3).fromArray(border.map((part) => part / 255));
    }
  }

  destroy(): void {
    for (const { mesh, tints } of this.sides) {
      mesh.geometry.dispose();
      mesh.material.dispose();
      tints.dispose();
    }
  }
}
