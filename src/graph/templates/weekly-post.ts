import { node, type WorkflowTemplate, wire } from './template.ts'

export const weeklyPost: WorkflowTemplate = {
  id: 'weekly-post',
  name: 'Weekly post with approval',
  description:
    'Every week: a post written from your notes, which waits for your approval before it goes out.',
  icon: 'calendar-clock',
  data: {
    nodes: [
      node('notes', 'input.text', [0, 0], {
        label: 'Notes',
        description: 'What the post is about: what happened, what is coming.',
        maxLength: 20_000,
        default:
          'The repair café had forty visitors on Saturday. Most brought lamps and radios. Only three things could not be mended. The next one is on the first Saturday of the month, and we look for somebody who can sew.',
      }),
      node('ask', 'text.template', [1, 0], {
        label: 'Ask',
        template:
          'Summarise these notes in three sentences, as a post for our readers.\n\n{{notes}}',
      }),
      node('draft', 'text.generate', [2, 0], {
        label: 'Write the draft',
        model: 'demo-text',
        maxTokens: 600,
      }),
      node('decide', 'wait.approval', [3, 0], {
        label: 'Publish this?',
        title: 'Publish this?',
        description: 'Read the post, and change it if you like. Only what you approve goes out.',
        mayEdit: true,
        expiresAfterSeconds: 518_400,
      }),
      node('post', 'output', [4, 0], { label: 'Post' }),
      node('dropped', 'output', [4, 1], { label: 'Rejected' }),
      node('late', 'output', [4, 2], { label: 'Nobody answered' }),
    ],
    connections: [
      wire('notes', 'ask.notes'),
      wire('ask', 'draft.prompt'),
      wire('draft', 'decide'),
      wire('decide.approved', 'post'),
      wire('decide.rejected', 'dropped'),
      wire('decide.expired', 'late'),
    ],
  },
  sampleInputs: {
    notes:
      'The repair café had forty visitors on Saturday. Most brought lamps and radios. Only three things could not be mended.',
  },
  trigger: { kind: 'SCHEDULE', name: 'Every Monday', cron: '0 9 * * 1', overlap: 'skip' },
}
