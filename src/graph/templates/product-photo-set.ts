import { node, type WorkflowTemplate, wire } from './template.ts'

export const productPhotoSet: WorkflowTemplate = {
  id: 'product-photo-set',
  name: 'Product photo set',
  description:
    'One product, several scenes: a picture for each, and a short text for the shop page.',
  icon: 'camera',
  data: {
    nodes: [
      node('product', 'input.text', [0, 0], {
        label: 'Product',
        description: 'What it is, its material and colour.',
        minLength: 3,
        maxLength: 500,
      }),
      node('scenes', 'input.json', [0, 1], {
        label: 'Scenes',
        description: 'Where the product is shown; one picture for each.',
        schema: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 8 },
        default: [
          'on white marble, soft daylight',
          'in use on a kitchen table',
          'close-up of the material',
        ],
      }),
      node('both', 'flow.merge', [1, 0], { label: 'Product and scenes', mode: 'object' }),
      node('prompts', 'json.transform', [2, 0], {
        label: 'A prompt per scene',
        expression: '[scenes.("Product photo of " & $$.product & ", " & $ & ", sharp focus")]',
        outputType: 'list',
      }),
      node('photos', 'flow.map', [3, 0], {
        label: 'Take the photos',
        apply: {
          type: 'image.generate',
          data: { model: 'demo-image', imageAspectRatio: '1:1' },
          itemPort: 'prompt',
        },
        concurrency: 4,
        maxItems: 8,
      }),
      node('brief', 'text.template', [1, 2], {
        label: 'Brief for the text',
        template: 'Write two sentences for a shop page about this product: {{product}}',
      }),
      node('copy', 'text.generate', [2, 2], {
        label: 'Shop text',
        model: 'demo-text',
        maxTokens: 200,
      }),
      node('pictures', 'output', [4, 0], { label: 'Pictures' }),
      node('text', 'output', [4, 2], { label: 'Shop text' }),
    ],
    connections: [
      wire('product', 'both'),
      wire('scenes', 'both'),
      wire('both', 'prompts'),
      wire('prompts', 'photos.items'),
      wire('photos', 'pictures'),
      wire('product', 'brief.product'),
      wire('brief', 'copy.prompt'),
      wire('copy', 'text'),
    ],
  },
  sampleInputs: {
    product: 'a hand-thrown ceramic mug with a deep blue glaze',
    scenes: ['on white marble, soft daylight', 'beside a rainy window'],
  },
}
