import { Type } from '#core/schema.ts'
import type { Canvas } from '../node/canvas.ts'
import { local, unknownValue } from '../node/guess.ts'
import { defineNode, type NodeType } from '../node/node-type.ts'

/** Any type called browser.<name>. The canvas runs it; the server only passes on its result. */
export const browserNode = defineNode({
  type: 'browser',
  canvas: {
    label: 'Browser tool',
    group: 'browser',
    icon: 'mouse-pointer-click',
    help: 'Works in the canvas only, for example cropping a picture. A run on the server skips it.',
  },
  config: Type.Object({}),
  pure: true,
  browserOnly: true,
  ports: () => ({
    inputs: [{ name: 'input', type: 'any', required: false, multi: true }],
    outputs: [{ name: 'output', type: 'any' }],
    open: true,
  }),
  estimate: () => local({ output: unknownValue() }),
  // Reached only if the inputs of the run contain the result of the node.
  execute: (_, { ports: { value } }) => ({ output: value ?? null }),
})

const tool = (name: string, canvas: Omit<Canvas, 'group'>): NodeType => ({
  ...browserNode,
  type: `browser.${name}`,
  canvas: { ...canvas, group: 'browser' },
})

/** The browser tools of the console. The server treats them like any other browser node. */
export const browserTools: readonly NodeType[] = [
  tool('crop', {
    label: 'Crop',
    icon: 'crop',
    help: 'Cuts a part out of a picture, here on the canvas. The result becomes an input of the run.',
  }),
  tool('mask', {
    label: 'Mask',
    icon: 'brush',
    help: 'Marks a part of a picture by painting on it, here on the canvas. The result, transparent where you painted, becomes an input of the run: a mask for Generate image.',
  }),
  tool('compare', {
    label: 'Compare',
    icon: 'columns-2',
    help: 'Shows two pictures over each other, with a slider or as their difference.',
  }),
]
