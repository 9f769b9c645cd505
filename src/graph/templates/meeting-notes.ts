import { node, type WorkflowTemplate, wire } from './template.ts'

export const meetingNotes: WorkflowTemplate = {
  id: 'meeting-notes',
  name: 'Meeting notes',
  description: 'A transcript becomes a summary and, if you like, a list of who does what.',
  icon: 'notebook-pen',
  data: {
    nodes: [
      node('transcript', 'input.text', [0, 0], {
        label: 'Transcript',
        minLength: 20,
        maxLength: 100_000,
      }),
      node('wantTasks', 'input.boolean', [0, 1], { label: 'List the tasks', default: true }),
      node('ask', 'text.template', [1, 0], {
        label: 'Ask for a summary',
        template: 'Summarise the following meeting in five sentences.\n\n{{transcript}}',
      }),
      node('sum', 'text.generate', [2, 0], {
        label: 'Summarise',
        model: 'demo-text',
        maxTokens: 400,
      }),
      node('parts', 'flow.merge', [1, 1], { label: 'Transcript and choice', mode: 'object' }),
      node('tasksWanted', 'flow.condition', [2, 1], {
        label: 'Tasks wanted?',
        expression: 'wantTasks = true',
      }),
      node('askTasks', 'text.template', [3, 1], {
        label: 'Ask for the tasks',
        template:
          'List the tasks agreed in the following meeting. Answer as JSON: {"tasks":[{"who":"name","what":"task"}]}\n\n{{meeting.transcript}}',
      }),
      node('find', 'text.generate', [4, 1], {
        label: 'Find the tasks',
        model: 'demo-text',
        responseFormat: 'json',
        maxTokens: 600,
      }),
      node('summary', 'output', [5, 0], { label: 'Summary' }),
      node('tasks', 'output', [5, 1], { label: 'Tasks' }),
    ],
    connections: [
      wire('transcript', 'ask.transcript'),
      wire('ask', 'sum.prompt'),
      wire('sum', 'summary'),
      wire('transcript', 'parts'),
      wire('wantTasks', 'parts'),
      wire('parts', 'tasksWanted'),
      wire('tasksWanted.true', 'askTasks.meeting'),
      wire('askTasks', 'find.prompt'),
      wire('find.json', 'tasks'),
    ],
  },
  sampleInputs: {
    transcript:
      'Ana: The new price list must be online by Friday. Ben: I will update the shop on Wednesday. Ana: Then I check it on Thursday. Cleo: I write to the regular customers once it is live. Ana: Good, next meeting on Monday at ten.',
    wantTasks: true,
  },
}
