import { node, type WorkflowTemplate, wire } from './template.ts'

export const storyboardToVideo: WorkflowTemplate = {
  id: 'storyboard-to-video',
  name: 'Storyboard to video',
  description: 'Shots become key frames; the first frame starts a short video in the same style.',
  icon: 'clapperboard',
  data: {
    nodes: [
      node('shots', 'input.json', [0, 0], {
        label: 'Shots',
        description: 'What is seen, shot by shot.',
        schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 6 },
      }),
      node('style', 'input.text', [0, 1], {
        label: 'Style',
        default: 'watercolour, warm evening light',
        maxLength: 200,
      }),
      node('board', 'flow.merge', [1, 0], { label: 'Shots and style', mode: 'object' }),
      node('prompts', 'json.transform', [2, 0], {
        label: 'A prompt per frame',
        expression: '[shots.($ & ", " & $$.style)]',
        outputType: 'list',
      }),
      node('frames', 'flow.map', [3, 0], {
        label: 'Draw the frames',
        apply: { type: 'image.generate', data: { model: 'demo-image', imageAspectRatio: '16:9' } },
        maxItems: 6,
      }),
      node('first', 'json.transform', [4, 1], {
        label: 'First frame',
        expression: '$[0]',
        outputType: 'image',
      }),
      node('motion', 'json.transform', [3, 2], {
        label: 'What moves',
        expression: '$join(shots, ", then ") & ". " & style',
        outputType: 'text',
      }),
      node('film', 'video.generate', [5, 1], {
        label: 'Film it',
        model: 'demo-video',
        videoAspectRatio: '16:9',
        videoSeconds: 2,
        videoResolution: '360p',
      }),
      node('video', 'output', [6, 1], { label: 'Video' }),
      node('storyboard', 'output', [6, 0], { label: 'Storyboard' }),
    ],
    connections: [
      wire('shots', 'board'),
      wire('style', 'board'),
      wire('board', 'prompts'),
      wire('prompts', 'frames'),
      wire('frames', 'storyboard'),
      wire('frames', 'first'),
      wire('board', 'motion'),
      wire('motion', 'film.prompt'),
      wire('first', 'film.image'),
      wire('film', 'video'),
    ],
  },
  sampleInputs: {
    shots: ['a paper boat on a puddle', 'the boat reaches a river at dusk'],
    style: 'watercolour, warm evening light',
  },
}
