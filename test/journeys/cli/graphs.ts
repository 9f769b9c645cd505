import { graph } from '../runs/setting.ts'

/** Only pure nodes, so the run ends before it is first read. */
export const greeting = {
  name: 'Greeting',
  data: graph(
    [
      { id: 'name', type: 'input.text' },
      { id: 'times', type: 'input.number', data: { required: false, default: 1 } },
      { id: 'words', type: 'text.template', data: { template: 'Hello {{name}}, {{times}} times' } },
      { id: 'greeting', type: 'output' },
    ],
    ['name -> words.name', 'times -> words.times', 'words -> greeting'],
  ),
}

/** One call to the demo provider of each kind that is asked for. */
export const calls = (kinds: readonly ('text' | 'image')[]) => ({
  name: 'Calls',
  data: graph(
    [
      { id: 'topic', type: 'input.text', data: { required: false, default: 'the sea' } },
      ...kinds.flatMap((kind) => [
        { id: kind, type: `${kind}.generate`, data: { model: `demo-${kind}` } },
        { id: `${kind}-out`, type: 'output' },
      ]),
    ],
    kinds.flatMap((kind) => [`topic -> ${kind}.prompt`, `${kind} -> ${kind}-out`]),
  ),
})
