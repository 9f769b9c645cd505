import { node, type WorkflowTemplate, wire } from './template.ts'

export const translateAndReview: WorkflowTemplate = {
  id: 'translate-and-review',
  name: 'Translate and review',
  description: 'Translates a text and has a second look at the result before you use it.',
  icon: 'languages',
  data: {
    nodes: [
      node('text', 'input.text', [0, 0], { label: 'Text', minLength: 1, maxLength: 20_000 }),
      node('language', 'input.text', [0, 1], {
        label: 'Language',
        enum: ['German', 'French', 'Spanish', 'Italian', 'English'],
        default: 'German',
      }),
      node('ask', 'text.template', [1, 0], {
        label: 'Ask',
        template: 'Translate the following text into {{language}}.\n\n{{text}}',
      }),
      node('translate', 'text.generate', [2, 0], {
        label: 'Translate',
        model: 'demo-text',
        temperature: 0.2,
      }),
      node('check', 'text.template', [3, 1], {
        label: 'Ask for a review',
        template:
          'Compare a translation into {{language}} with the original and list what should be changed.\n\nOriginal:\n{{text}}\n\nTranslation:\n{{translation}}',
      }),
      node('review', 'text.generate', [4, 1], {
        label: 'Review',
        model: 'demo-text',
        system: 'You are a careful editor. Be brief.',
        maxTokens: 300,
      }),
      node('translation', 'output', [5, 0], { label: 'Translation' }),
      node('remarks', 'output', [5, 1], { label: 'Remarks' }),
    ],
    connections: [
      wire('text', 'ask.text'),
      wire('language', 'ask.language'),
      wire('ask', 'translate.prompt'),
      wire('translate', 'translation'),
      wire('text', 'check.text'),
      wire('language', 'check.language'),
      wire('translate', 'check.translation'),
      wire('check', 'review.prompt'),
      wire('review', 'remarks'),
    ],
  },
  sampleInputs: { text: 'Good morning, the shop opens at nine.', language: 'German' },
}
