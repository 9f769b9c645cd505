import { node, type WorkflowTemplate, wire } from './template.ts'

export const imageVariationsWithCritic: WorkflowTemplate = {
  id: 'image-variations-with-critic',
  name: 'Image variations with a critic',
  description: 'Draws an idea in several moods and lets a critic look at every picture.',
  icon: 'images',
  data: {
    nodes: [
      node('idea', 'input.text', [0, 0], { label: 'Idea', minLength: 3, maxLength: 500 }),
      node('moods', 'input.json', [0, 1], {
        label: 'Moods',
        schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 5 },
        default: ['calm and minimal', 'bold and colourful', 'dark and dramatic'],
      }),
      node('both', 'flow.merge', [1, 0], { label: 'Idea and moods', mode: 'object' }),
      node('prompts', 'json.transform', [2, 0], {
        label: 'A prompt per mood',
        expression: '[moods.($$.idea & ", " & $)]',
        outputType: 'list',
      }),
      node('draw', 'flow.map', [3, 0], {
        label: 'Draw',
        apply: { type: 'image.generate', data: { model: 'demo-image' } },
        maxItems: 5,
      }),
      node('judge', 'flow.map', [4, 1], {
        label: 'Look at each',
        apply: {
          type: 'text.generate',
          data: {
            model: 'demo-text',
            prompt: 'Describe this picture and say in one sentence what works and what does not.',
            maxTokens: 150,
          },
          itemPort: 'image',
        },
        maxItems: 5,
      }),
      node('pictures', 'output', [5, 0], { label: 'Pictures' }),
      node('critique', 'output', [5, 1], { label: 'Critique' }),
    ],
    connections: [
      wire('idea', 'both'),
      wire('moods', 'both'),
      wire('both', 'prompts'),
      wire('prompts', 'draw'),
      wire('draw', 'pictures'),
      wire('draw', 'judge'),
      wire('judge', 'critique'),
    ],
  },
  sampleInputs: {
    idea: 'a lighthouse at low tide',
    moods: ['calm and minimal', 'bold and colourful'],
  },
}
