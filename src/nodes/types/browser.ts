import { Type } from 'typebox'
import { local, unknownValue } from '../guess.ts'
import { defineNode } from '../node-type.ts'

/** Any type called browser.<name>: the canvas runs it, a server never does. */
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
})
