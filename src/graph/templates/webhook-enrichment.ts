import { node, type WorkflowTemplate, wire } from './template.ts'

export const webhookEnrichment: WorkflowTemplate = {
  id: 'webhook-enrichment',
  name: 'Webhook enrichment',
  description:
    'Reads a support message, adds topic, mood and a summary, and sends the enriched record to an address of yours.',
  icon: 'webhook',
  data: {
    nodes: [
      node('record', 'input.json', [0, 0], {
        label: 'Record',
        schema: {
          type: 'object',
          properties: { id: { type: 'string' }, message: { type: 'string' } },
          required: ['id', 'message'],
        },
      }),
      node('deliver', 'input.boolean', [0, 1], {
        label: 'Send it on',
        description: 'Set the address in the node "Send" first.',
        default: false,
      }),
      node('ask', 'text.template', [1, 0], {
        label: 'Ask',
        template:
          'Classify the following support message. Answer as JSON: {"topic":"billing|delivery|product|other","sentiment":"positive|neutral|negative","summary":"one sentence"}\n\n{{record.message}}',
      }),
      node('facts', 'text.generate', [2, 0], {
        label: 'Read it',
        model: 'demo-text',
        responseFormat: 'json',
        maxTokens: 300,
      }),
      node('parts', 'flow.merge', [3, 0], { label: 'Record and facts', mode: 'object' }),
      node('enrich', 'json.transform', [4, 0], {
        label: 'Enrich',
        expression: '$merge([record, {"facts": facts}])',
      }),
      node('bundle', 'flow.merge', [5, 1], { label: 'With the choice', mode: 'object' }),
      node('wanted', 'flow.condition', [6, 1], {
        label: 'Send it on?',
        expression: 'deliver = true',
      }),
      node('payload', 'json.transform', [7, 1], { label: 'Payload', expression: 'enrich' }),
      node('send', 'http.request', [8, 1], {
        label: 'Send',
        method: 'POST',
        url: 'https://example.com/hooks/support/{{id}}',
        headers: { 'x-source': 'atelier' },
        timeoutMs: 10_000,
      }),
      node('enriched', 'output', [9, 0], { label: 'Enriched record' }),
      node('delivery', 'output', [9, 1], { label: 'Status of the delivery' }),
    ],
    connections: [
      wire('record', 'ask.record'),
      wire('ask', 'facts.prompt'),
      wire('record', 'parts'),
      wire('facts.json', 'parts'),
      wire('parts', 'enrich'),
      wire('enrich', 'enriched'),
      wire('enrich', 'bundle'),
      wire('deliver', 'bundle'),
      wire('bundle', 'wanted'),
      wire('wanted.true', 'payload'),
      wire('payload', 'send.vars'),
      wire('payload', 'send.body'),
      wire('send.status', 'delivery'),
    ],
  },
  sampleInputs: {
    record: {
      id: 'T-1042',
      message: 'My parcel arrived late and the box was open. Please send a new lamp.',
    },
    deliver: false,
  },
}
