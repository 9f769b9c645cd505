import type { Graph } from './graph.ts'

const examples: Record<string, unknown> = {
  'input.text': 'text',
  'input.number': 1,
  'input.boolean': true,
  'input.image': 'https://example.com/picture.png',
  'input.video': 'https://example.com/video.mp4',
  'input.json': {},
}

/** A value for each input of a graph, by the id of its node: the one it has already, or an example. */
export const exampleInputs = ({ nodes }: Graph): Record<string, unknown> =>
  Object.fromEntries(
    nodes.flatMap(({ id, type, data }) =>
      type in examples ? [[id, data.default ?? examples[type]]] : [],
    ),
  )
