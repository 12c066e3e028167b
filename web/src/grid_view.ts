// Draws the grid of ranks with three.js. A picture is drawn only if something has changed.
import {
  ColorManagement, ConeGeometry, CylinderGeometry, Group, LinearSRGBColorSpace, Mesh, MeshBasicMaterial, PerspectiveCamera, QuadraticBezierCurve3, Raycaster, Scene,
  TubeGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { h } from "./dom";
import { Cells, Looks } from "./grid_cells";
import type { GridLayout, Vector } from "./grid_layout";
import { Sides } from "./grid_sides";
import { colour, rgb_of } from "./theme";

ColorManagement.enabled = false; // colours are those of style.css

// A group of the chosen rank: a beam along its members, or an arc with an arrow to its only partner.
export interface Link {
  from: number;
  to: number;
  arrow: boolean;
  colour: string;
  load: number; // 0 to 1: thickness
  lift: number; // arcs of different directions lie apart
}

const kMostCells = 3000; // of more ranks the sides are drawn, without antialiasing
const kMostThrough = 1024; // cells that are seen through others
const kNoCorner = -1, kInside = 8; // of arranged

export class GridView {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  private readonly labels = h("div.labels", { "aria-hidden": "true" });
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(32, 1, 0.1, 5000);
  private readonly orbit: OrbitControls;
  private readonly cells: Cells; // all of them: of a small grid, or of one with the camera inside
  private readonly sides: Sides | null; // of a large grid
  private readonly through: Cells; // some of them once more, seen through those before them
  private looks: Looks;
  private arranged = kNoCorner; // the corner whose three sides are drawn
  private readonly links = new Group();
  private readonly observer = new ResizeObserver(() => this.resize());
  private readonly marks: { element: HTMLElement; at: Vector3 }[] = [];
  private waiting = 0; // the number of the requested frame
  private has_view = false; // the camera stands where the grid is seen

  // Throws Error if the browser has no WebGL.
  constructor(readonly layout: GridLayout) {
    const is_large = layout.world > kMostCells;
    this.renderer = new WebGLRenderer({ antialias: !is_large, alpha: true, powerPreference: "low-power" });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.renderer.setPixelRatio(is_large ? 1 : Math.min(2, devicePixelRatio || 1));
    this.canvas = this.renderer.domElement;
    this.element = h("div.space", {}, this.canvas, this.labels);
    this.cells = new Cells(layout, layout.world);
    this.through = new Cells(layout, kMostThrough, 0.55);
    this.through.mesh.renderOrder = 1;
    this.looks = new Looks(layout.world);
    this.sides = is_large ? new Sides(layout) : null;
    this.cells.place(Array.from({ length: layout.world }, (_, rank) => rank));
    this.cells.mesh.visible = !is_large;
    this.scene.add(this.cells.mesh, this.through.mesh, this.links);
    if (this.sides) this.scene.add(this.sides.group);
    this.orbit = new OrbitControls(this.camera, this.canvas);
    this.orbit.addEventListener("change", () => this.turn());
    this.make_labels();
    this.observer.observe(this.element);
  }

  private turn(): void {
    if (this.sides && this.corner() !== this.arranged) this.arrange();
    this.draw_soon();
  }

  private make_labels(): void {
    const { half, counts, place } = this.layout;
    const { context } = this.layout.job;
    const add = (text: string, at: Vector, name = "label"): void => {
      const element = h(`span.${name}`, {}, text);
      this.labels.append(element);
      this.marks.push({ element, at: new Vector3(...at) });
    };
    const out = 0.04 * Math.max(...half) + 0.6;
    add(`${context > 1 ? "data × context" : "data"} 0 – ${counts[0] - 1} →`, [0, -half[1] - out, half[2] + out]);
    if (counts[1] > 1) add(`tensor 0 – ${counts[1] - 1} ↑`, [-half[0] - out, 0, half[2]]);
    if (counts[2] > 1)
      for (let stage = 0; stage < counts[2]; stage += Math.ceil(counts[2] / 8))
        add(`stage ${stage}`, [half[0] + out, -half[1], half[2] - (stage + 0.5) * place[2]], "label.stage");
  }

  // `through`: ranks whose cells are seen through others, at most kMostThrough of them.
  set_looks(looks: Looks, through: number[]): void {
    this.looks = looks;
    this.paint();
    this.through.place(through.slice(0, kMostThrough));
    this.through.paint(looks);
    this.draw_soon();
  }

  // The corner of the grid in which the camera is, 0 to 7; kInside if it is in the grid.
  private corner(): number {
    const { x, y, z } = this.camera.position;
    const { half } = this.layout;
    if (Math.abs(x) < half[0] && Math.abs(y) < half[1] && Math.abs(z) < half[2]) return kInside;
    return (x > 0 ? 1 : 0) + (y > 0 ? 2 : 0) + (z > 0 ? 4 : 0);
  }

  private arrange(): void {
    this.arranged = this.corner();
    this.cells.mesh.visible = this.arranged === kInside;
    this.sides!.group.visible = this.arranged !== kInside;
    if (this.arranged !== kInside) this.sides!.place(this.arranged);
    this.paint();
  }

  private paint(): void {
    if (this.sides && this.arranged === kNoCorner) return this.arrange();
    if (this.cells.mesh.visible) this.cells.paint(this.looks);
    else this.sides!.paint(this.looks, rgb_of(colour("--line")));
  }

  set_links(links: Link[]): void {
    for (const child of [...this.links.children] as Mesh[]) {
      child.geometry.dispose();
      (child.material as MeshBasicMaterial).dispose();
    }
    this.links.clear();
    for (const link of links) this.links.add(...(link.arrow ? this.arc(link) : [this.beam(link)]));
    this.draw_soon();
  }

  private thickness(link: Link): number {
    return Math.min(...this.layout.place.filter((_, i) => this.layout.counts[i] > 1), 1) * (0.03 + 0.07 * link.load) + 0.0028 * Math.max(...this.layout.half);
  }

  private beam(link: Link): Mesh {
    const from = new Vector3(...this.layout.position(link.from)), to = new Vector3(...this.layout.position(link.to));
    const along = to.clone().sub(from);
    const beam = new Mesh(new CylinderGeometry(1, 1, 1, 8), new MeshBasicMaterial({ color: link.colour, depthTest: false, transparent: true }));
    beam.scale.set(this.thickness(link), along.length(), this.thickness(link));
    beam.position.copy(from.add(to).multiplyScalar(0.5));
    beam.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along.normalize());
    beam.renderOrder = 2;
    return beam;
  }

  private arc(link: Link): Mesh[] {
    const from = new Vector3(...this.layout.position(link.from)), to = new Vector3(...this.layout.position(link.to));
    const span = from.distanceTo(to), radius = this.thickness(link);
    const top = from.clone().add(to).multiplyScalar(0.5).add(new Vector3(0, link.lift * (0.25 * span + this.layout.cell[1]), 0));
    const curve = new QuadraticBezierCurve3(from, top, to);
    const material = new MeshBasicMaterial({ color: link.colour, depthTest: false, transparent: true });
    const tube = new Mesh(new TubeGeometry(curve, 24, radius, 6), material);
    const head = new Mesh(new ConeGeometry(radius * 2.6, radius * 8, 10), material.clone());
    const way = curve.getTangent(1);
    head.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), way);
    head.position.copy(to).addScaledVector(way, -radius * 4);
    tube.renderOrder = head.renderOrder = 3;
    return [tube, head];
  }

  // Puts the whole grid into the picture.
  show_all(): void {
    this.has_view = true;
    const { half } = this.layout;
    const corners: Vector3[] = [];
    for (const x of [-1, 1]) for (const y of [-1, 1]) for (const z of [-1, 1]) corners.push(new Vector3(x * half[0], y * half[1], z * half[2]));
    const way = new Vector3(-0.32, 0.62, 1).normalize();
    let near = 0.1, far = 20 * Math.max(...half) + 10;
    for (let i = 0; i < 40; ++i) {
      const distance = (near + far) / 2;
      this.camera.position.copy(way).multiplyScalar(distance);
      this.camera.lookAt(0, 0, 0);
      this.camera.updateMatrixWorld();
      const fits = corners.every((corner) => {
        const at = corner.clone().project(this.camera);
        return Math.abs(at.x) < 0.86 && Math.abs(at.y) < 0.84 && at.z < 1 && corner.clone().applyMatrix4(this.camera.matrixWorldInverse).z < 0;
      });
      if (fits) far = distance;
      else near = distance;
    }
    this.camera.position.copy(way).multiplyScalar(far);
    this.orbit.target.set(0, 0, 0);
    this.orbit.update();
    this.draw_soon();
  }

  zoom(factor: number): void {
    this.camera.position.sub(this.orbit.target).multiplyScalar(factor).add(this.orbit.target);
    this.orbit.update();
    this.draw_soon();
  }

  // The rank whose cell is drawn at a place of the page, or -1.
  rank_at(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2), this.camera);
    const { origin, direction } = caster.ray;
    const from: Vector = [origin.x, origin.y, origin.z], way: Vector = [direction.x, direction.y, direction.z];
    const { middles, cell } = this.layout;
    let best = -1, nearest = Infinity;
    for (let rank = 0; rank < this.layout.world; ++rank) {
      let enter = 0, leave = Infinity;
      for (let i = 0; i < 3; ++i) {
        const reach = (cell[i] / 2) * this.looks.scales[rank], middle = middles[3 * rank + i];
        const a = (middle - reach - from[i]) / way[i], b = (middle + reach - from[i]) / way[i];
        enter = Math.max(enter, Math.min(a, b));
        leave = Math.min(leave, Math.max(a, b));
      }
      if (enter <= leave && enter < nearest) {
        nearest = enter;
        best = rank;
      }
    }
    return best;
  }

  draw_soon(): void {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  private draw(): void {
    const width = this.element.clientWidth, height = this.element.clientHeight;
    if (width === 0 || !this.has_view) return;
    this.renderer.render(this.scene, this.camera);
    const taken: { x: number; y: number }[] = [];
    for (const { element, at } of this.marks) {
      const place = at.clone().project(this.camera);
      const reach = 4 * (element.textContent?.length ?? 0); // about half of its width
      const x = Math.max(reach, Math.min(width - reach, ((place.x + 1) / 2) * width)), y = ((1 - place.y) / 2) * height;
      const is_free = taken.every((other) => Math.abs(other.x - x) > 56 || Math.abs(other.y - y) > 16);
      if (is_free) taken.push({ x, y });
      element.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
      element.style.visibility = is_free && place.z < 1 ? "visible" : "hidden";
    }
  }

  private resize(): void {
    const width = this.element.clientWidth, height = this.element.clientHeight;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.has_view) this.show_all();
    this.draw(); // now: a resized canvas is empty
  }

  destroy(): void {
    this.observer.disconnect();
    this.orbit.dispose();
    this.set_links([]);
    cancelAnimationFrame(this.waiting); // which set_links() has asked for
    this.cells.destroy();
    this.sides?.destroy();
    this.through.destroy();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}
