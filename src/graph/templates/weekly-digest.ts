import { node, type WorkflowTemplate, wire } from './template.ts'

export const weeklyDigest: WorkflowTemplate = {
  id: 'weekly-digest',
  name: 'Weekly digest',
  description:
    'Every Monday morning: what happened in the week, from your list or from an address of yours, in five bullet points.',
  icon: 'calendar-clock',
  data: {
    nodes: [
      node('entries', 'input.json', [0, 0], {
        label: 'Entries',
        description: 'What happened, unless it is read from your source.',
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
      node('ownSource', 'input.boolean', [0, 1], {
        label: 'Read from my source',
        description: 'Set the address in the node "Read the week" first.',
        default: false,
      }),
      node('both', 'flow.merge', [1, 0], { label: 'Entries and choice', mode: 'object' }),
      node('source', 'flow.condition', [2, 0], {
        label: 'From my source?',
        expression: 'ownSource = true',
      }),
      node('fetch', 'http.request', [3, 1], {
        label: 'Read the week',
        url: 'https://example.com/week.json',
        timeoutMs: 10_000,
      }),
      node('given', 'json.transform', [3, 0], { label: 'From the list', expression: 'entries' }),
      node('week', 'flow.merge', [4, 0], { label: 'The week' }),
      node('text', 'json.transform', [5, 0], {
        label: 'As one text',
        expression: '$join($.(title & ": " & text), "\\n")',
        outputType: 'text',
      }),
      node('ask', 'text.template', [6, 0], {
        label: 'Ask',
        template: 'Summarise this week in five bullet points for the whole team.\n\n{{week}}',
      }),
      node('write', 'text.generate', [7, 0], {
        label: 'Write the digest',
        model: 'demo-text',
        maxTokens: 600,
      }),
      node('digest', 'output', [8, 0], { label: 'Digest' }),
    ],
    connections: [
      wire('entries', 'both'),
      wire('ownSource', 'both'),
      wire('both', 'source'),
      wire('source.true', 'fetch.vars'),
      wire('source.false', 'given'),
      wire('fetch.body', 'week'),
      wire('given', 'week'),
      wire('week', 'text'),
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
