import { node, type WorkflowTemplate, wire } from './template.ts'

export const codeWithReview: WorkflowTemplate = {
  id: 'code-with-review',
  name: 'Code with review',
  description: 'Writes a function in the language you choose and has it reviewed.',
  icon: 'code-xml',
  data: {
    nodes: [
      node('task', 'input.text', [0, 0], {
        label: 'What it should do',
        minLength: 5,
        maxLength: 2000,
      }),
      node('language', 'input.text', [0, 1], {
        label: 'Language',
        enum: ['TypeScript', 'JavaScript', 'Python', 'SQL'],
        default: 'TypeScript',
      }),
      node('ask', 'text.template', [1, 0], {
        label: 'Ask',
        template: 'Write {{language}} code. {{task}}',
      }),
      node('write', 'text.generate', [2, 0], {
        label: 'Write',
        model: 'demo-code',
        maxTokens: 800,
      }),
      node('askReview', 'text.template', [3, 1], {
        label: 'Ask for a review',
        template: 'Review the following {{language}} code and list possible mistakes.\n\n{{code}}',
      }),
      node('check', 'text.generate', [4, 1], {
        label: 'Review',
        model: 'demo-text',
        maxTokens: 400,
      }),
      node('code', 'output', [5, 0], { label: 'Code' }),
      node('review', 'output', [5, 1], { label: 'Review' }),
    ],
    connections: [
      wire('task', 'ask.task'),
      wire('language', 'ask.language'),
      wire('ask', 'write.prompt'),
      wire('write', 'code'),
      wire('language', 'askReview.language'),
      wire('write', 'askReview.code'),
      wire('askReview', 'check.prompt'),
      wire('check', 'review'),
    ],
  },
  sampleInputs: { task: 'A function that reverses a string.', language: 'TypeScript' },
}
