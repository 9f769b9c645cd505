import { node, type WorkflowTemplate, wire } from './template.ts'

export const githubIssueSummary: WorkflowTemplate = {
  id: 'github-issue-summary',
  name: 'GitHub issue to summary',
  description:
    'When an issue is opened on GitHub: what it is about in two sentences, its kind and how urgent it is.',
  icon: 'circle-dot',
  data: {
    nodes: [
      node('delivery', 'input.json', [0, 0], {
        label: 'Delivery',
        description: 'What GitHub sent, as the mapping of the trigger gives it.',
        schema: {
          type: 'object',
          properties: {
            event: { type: 'string' },
            action: { type: 'string' },
            title: { type: 'string' },
            text: { type: 'string' },
            url: { type: 'string' },
          },
          required: ['event'],
        },
      }),
      node('opened', 'flow.condition', [1, 0], {
        label: 'A new issue?',
        expression: 'event = "issues" and action = "opened"',
      }),
      node('askSummary', 'text.template', [2, 0], {
        label: 'Ask for a summary',
        template:
          'Summarise the following issue in two sentences.\n\n{{issue.title}}. {{issue.text}}',
      }),
      node('sum', 'text.generate', [3, 0], {
        label: 'Summarise',
        model: 'demo-text',
        maxTokens: 200,
      }),
      node('askKind', 'text.template', [2, 1], {
        label: 'Ask for its kind',
        template:
          'Classify the following issue. Answer as JSON: {"kind":"bug|feature|question","urgency":"low|normal|high"}\n\n{{issue.title}}. {{issue.text}}',
      }),
      node('sort', 'text.generate', [3, 1], {
        label: 'Classify',
        model: 'demo-text',
        responseFormat: 'json',
        maxTokens: 100,
      }),
      node('summary', 'output', [4, 0], { label: 'Summary' }),
      node('kind', 'output', [4, 1], { label: 'Kind and urgency' }),
      node('other', 'output', [2, 2], { label: 'Not a new issue' }),
    ],
    connections: [
      wire('delivery', 'opened'),
      wire('opened.true', 'askSummary.issue'),
      wire('askSummary', 'sum.prompt'),
      wire('sum', 'summary'),
      wire('opened.true', 'askKind.issue'),
      wire('askKind', 'sort.prompt'),
      wire('sort.json', 'kind'),
      wire('opened.false', 'other'),
    ],
  },
  sampleInputs: {
    delivery: {
      event: 'issues',
      action: 'opened',
      title: 'The export stops after 100 rows',
      text: 'I exported my orders of last month. The file has 100 rows, but the shop shows 340 orders. No error is shown. This worked until Tuesday.',
      url: 'https://github.com/octo/shop/issues/7',
    },
  },
  trigger: {
    kind: 'WEBHOOK',
    name: 'Issues on GitHub',
    verify: { method: 'github' },
    mapping:
      '{ "delivery": { "event": headers."x-github-event", "action": body.action, "title": body.issue.title, "text": body.issue.body, "url": body.issue.html_url } }',
    sample: {
      headers: { 'x-github-event': 'issues' },
      body: {
        action: 'opened',
        issue: {
          number: 7,
          title: 'The export stops after 100 rows',
          body: 'I exported my orders of last month. The file has 100 rows, but the shop shows 340 orders. No error is shown. This worked until Tuesday.',
          html_url: 'https://github.com/octo/shop/issues/7',
          user: { login: 'ada' },
        },
        repository: { full_name: 'octo/shop' },
      },
    },
  },
}
