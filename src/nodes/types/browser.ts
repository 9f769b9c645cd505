import { Type } from 'typebox'
import { local, unknownValue } from '../estimates/guess.ts'
import { type Canvas, defineNode, type NodeType } from '../node-type.ts'

/** Any type called browser.<name>: the canvas runs it; a server only hands on what it is given. */
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
  // Only reached where the run was given what the node made in the browser.
  execute: (_, { ports: { value } }) => ({ output: value ?? null }),
})

const tool = (name: string, canvas: Omit<Canvas, 'group'>): NodeType => ({
  ...browserNode,
  type: `browser.${name}`,
  canvas: { ...canvas, group: 'browser' },
})

/** The tools the console brings. To a server they are browser nodes like any other. */
export const browserTools: readonly NodeType[] = [
  tool('crop', {
    label: 'Crop',
    icon: 'crop',
    help: 'Cuts a part out of a picture, here on the canvas. The result becomes an input of the run.',
  }),
  tool('mask', {
    label: 'Mask',
    icon: 'brush',
    help: 'Paints which part of a picture is meant, here on the canvas. The result becomes an input of the run.',
  }),
  tool('compare', {
    label: 'Compare',
    icon: 'columns-2',
    help: 'Shows two pictures over each other, with a slider or as their difference.',
  }),
]
