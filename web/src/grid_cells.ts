// The cells of ranks as one mesh with an instance for each of them, so that thousands of ranks are one call.
// A cell is the three faces that its side of the camera sees: the vertex shader mirrors them for each rank. So half
// of the vertices of a box do, which is most of the time of software rendering.
import { BufferAttribute, DoubleSide, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, ShaderMaterial } from "three";
import type { GridLayout, Vector } from "./grid_layout";

// How all ranks look, by rank number.
export class Looks {
  readonly colours: Uint8Array; // three a rank, 0 to 255
  readonly scales: Float32Array; // 1: a usual cell
  constructor(world: number) {
    this.colours = new Uint8Array(3 * world);
    this.scales = new Float32Array(world).fill(1);
  }
}

const kShades = [0.8, 1, 0.66]; // faces to the side, up and to the front or back
const kVertex = `
  attribute float shade, grow;
  attribute vec3 middle, tint;
  varying vec3 colour;
  void main() {
    vec3 side = step(0.0, cameraPosition - middle) * 2.0 - 1.0;
    bool is_bottom = shade == 1.0 && side.y < 0.0;
    colour = tint * (is_bottom ? 0.55 : shade);
    gl_Position = projectionMatrix * viewMatrix * vec4(middle + position * side * grow, 1.0);
  }`;
const kFragment = `
  uniform float opacity;
  varying vec3 colour;
  void main() { gl_FragColor = vec4(colour, opacity); }`;

export class Cells {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private readonly middles: InstancedBufferAttribute;
  private readonly tints: InstancedBufferAttribute;
  private readonly scales: InstancedBufferAttribute;
  private ranks: ArrayLike<number> = [];

  // At most `most` cells. `opacity` below 1: they shine through all that is before them.
  constructor(private readonly layout: GridLayout, most: number, opacity = 1) {
    this.middles = new InstancedBufferAttribute(new Float32Array(3 * most), 3);
    this.tints = new InstancedBufferAttribute(new Uint8Array(3 * most), 3, true);
    this.scales = new InstancedBufferAttribute(new Float32Array(most), 1);
    for (const one of [this.middles, this.tints, this.scales]) one.setUsage(DynamicDrawUsage);
    const geometry = new InstancedBufferGeometry();
    const positions: number[] = [], shades: number[] = [], index: number[] = [];
    for (let face = 0; face < 3; ++face) {
      index.push(...[0, 1, 2, 2, 1, 3].map((corner) => face * 4 + corner));
      for (const [u, v] of [[-1, -1], [1, -1], [-1, 1], [1, 1]]) {
        const corner: Vector = [1, 1, 1];
        corner[(face + 1) % 3] = u;
        corner[(face + 2) % 3] = v;
        positions.push(...corner.map((value, i) => (value * layout.cell[i]) / 2));
        shades.push(kShades[face]);
      }
    }
    geometry.setIndex(index);
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute("shade", new BufferAttribute(new Float32Array(shades), 1));
    geometry.setAttribute("middle", this.middles);
    geometry.setAttribute("tint", this.tints);
    geometry.setAttribute("grow", this.scales);
    geometry.instanceCount = 0;
    const is_solid = opacity === 1;
    this.mesh = new Mesh(geometry, new ShaderMaterial({
      vertexShader: kVertex, fragmentShader: kFragment, side: DoubleSide, uniforms: { opacity: { value: opacity } }, transparent: !is_solid, depthTest: is_solid, depthWrite: is_solid,
    }));
    this.mesh.frustumCulled = false;
  }

  // Draws the cells of these ranks, in this order.
  place(ranks: ArrayLike<number>): void {
    this.ranks = ranks;
    const { middles } = this.layout;
    for (let i = 0; i < ranks.length; ++i)
      for (let part = 0; part < 3; ++part) this.middles.array[3 * i + part] = middles[3 * ranks[i] + part];
    this.middles.needsUpdate = true;
    this.mesh.geometry.instanceCount = ranks.length;
  }

  // Gives them their colours and sizes.
  paint({ colours, scales }: Looks): void {
    for (let i = 0; i < this.ranks.length; ++i) {
      const rank = this.ranks[i];
      for (let part = 0; part < 3; ++part) this.tints.array[3 * i + part] = colours[3 * rank + part];
      this.scales.array[i] = scales[rank];
    }
    this.tints.needsUpdate = this.scales.needsUpdate = true;
  }

  destroy(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
