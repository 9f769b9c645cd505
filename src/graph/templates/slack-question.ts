import { node, type WorkflowTemplate, wire } from './template.ts'

export const slackQuestion: WorkflowTemplate = {
  id: 'slack-question',
  name: 'Slack question to answer',
  description:
    'Somebody mentions your app in Slack: the question is answered from your notes and, once you switch it on, posted in the same thread.',
  icon: 'message-circle-question',
  data: {
    nodes: [
      node('message', 'input.json', [0, 0], {
        label: 'Message',
        description: 'What Slack sent, as the mapping of the trigger gives it.',
        schema: {
          type: 'object',
          properties: {
            text: { type: 'string' },
            channel: { type: 'string' },
            thread: { type: 'string' },
            bot: { type: 'string' },
          },
          required: ['text', 'channel'],
        },
      }),
      node('notes', 'input.text', [0, 1], {
        label: 'Notes',
        description: 'What the answers are taken from.',
        maxLength: 100_000,
        default:
          'The library opens at nine on weekdays and at ten on Saturday. Tools are lent for a week. A card is free for everybody who lives in town.',
      }),
      node('post', 'input.boolean', [0, 2], {
        label: 'Post the answer',
        description: 'Choose the credential of your Slack app in the node "Post" first.',
        default: false,
      }),
      // An app that answers its own messages would never stop.
      node('person', 'flow.condition', [1, 0], {
        label: 'From a person?',
        expression: '$not($exists(bot))',
      }),
      node('ask', 'text.template', [2, 0], {
        label: 'Ask',
        template: 'Question: {{message.text}}\n\nAnswer from this alone:\n{{notes}}',
      }),
      node('think', 'text.generate', [3, 0], {
        label: 'Answer',
        model: 'demo-text',
        temperature: 0,
        maxTokens: 400,
      }),
      node('parts', 'flow.merge', [4, 1], { label: 'Answer and choice', mode: 'object' }),
      node('wanted', 'flow.condition', [5, 1], {
        label: 'Post it?',
        expression: 'post = true and $exists(think)',
      }),
      node('payload', 'json.transform', [6, 1], {
        label: 'For Slack',
        expression: '{ "channel": message.channel, "thread_ts": message.thread, "text": think }',
      }),
      node('send', 'http.request', [7, 1], {
        label: 'Post',
        method: 'POST',
        url: 'https://slack.com/api/chat.postMessage',
        timeoutMs: 10_000,
      }),
      node('answer', 'output', [8, 0], { label: 'Answer' }),
      node('posted', 'output', [8, 1], { label: 'What Slack said' }),
    ],
    connections: [
      wire('message', 'person'),
      wire('person.true', 'ask.message'),
      wire('notes', 'ask.notes'),
      wire('ask', 'think.prompt'),
      wire('think', 'answer'),
      wire('message', 'parts'),
      wire('think', 'parts'),
      wire('post', 'parts'),
      wire('parts', 'wanted'),
      wire('wanted.true', 'payload'),
      wire('payload', 'send.body'),
      wire('send.body', 'posted'),
    ],
  },
  sampleInputs: {
    message: {
      text: 'When does the library open on Saturday?',
      channel: 'C0LAN2Q65',
      thread: '1718000000.000100',
    },
  },
  trigger: {
    kind: 'WEBHOOK',
    name: 'Questions in Slack',
    verify: { method: 'slack' },
    mapping:
      '{ "message": { "text": $trim($replace(body.event.text, /<@[A-Z0-9]+>/, "")), "channel": body.event.channel, "thread": body.event.ts, "bot": body.event.bot_id } }',
    sample: {
      headers: {},
      body: {
        type: 'event_callback',
        event_id: 'Ev08MFMKH6',
        event: {
          type: 'app_mention',
          user: 'U061F7AUR',
          text: '<@U0LAN0Z89> When does the library open on Saturday?',
          ts: '1718000000.000100',
          channel: 'C0LAN2Q65',
        },
      },
    },
  },
}
