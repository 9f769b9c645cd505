import { node, type WorkflowTemplate, wire } from './template.ts'

export const weeklyDigest: WorkflowTemplate = {
  id: 'weekly-digest',
  name: 'Weekly digest',
  description: 'Every Monday morning: what happened in the week, in five bullet points.',
  icon: 'calendar-clock',
  data: {
    nodes: [
      node('entries', 'input.json', [0, 0], {
        label: 'Entries',
        description: 'What happened. An HTTP request in its place reads them from your own source.',
        schema: {
          type: 'array',
          maxItems: 500,
          items: {
            type: 'object',
            properties: { title: { type: 'string' }, text: { type: 'string' } },
            required: ['title', 'text'],
          },
        },
        default: [
          { title: 'Shop', text: 'The new price list went online on Wednesday.' },
          { title: 'Library', text: 'Two hundred tools were lent, and three came back broken.' },
          { title: 'Team', text: 'Cleo starts on Monday and takes over the newsletter.' },
        ],
      }),
      node('text', 'json.transform', [1, 0], {
        label: 'As one text',
        expression: '$join($.(title & ": " & text), "\\n")',
        outputType: 'text',
      }),
      node('ask', 'text.template', [2, 0], {
        label: 'Ask',
        template: 'Summarise this week in five bullet points for the whole team.\n\n{{week}}',
      }),
      node('write', 'text.generate', [3, 0], {
        label: 'Write the digest',
        model: 'demo-text',
        maxTokens: 600,
      }),
      node('digest', 'output', [4, 0], { label: 'Digest' }),
    ],
    connections: [
      wire('entries', 'text'),
      wire('text', 'ask.week'),
      wire('ask', 'write.prompt'),
      wire('write', 'digest'),
    ],
  },
  sampleInputs: {
    entries: [
      { title: 'Shop', text: 'The new price list went online on Wednesday.' },
      { title: 'Library', text: 'Two hundred tools were lent, and three came back broken.' },
    ],
  },
  trigger: { kind: 'SCHEDULE', name: 'Every Monday', cron: '0 9 * * 1', overlap: 'skip' },
}
