import type { Command, Option } from '../command.ts'

const workflowId = {
  name: 'WORKFLOW_ID',
  kind: 'one',
  help: 'As "workflow list" shows it.',
} as const
const templateId = {
  name: 'TEMPLATE',
  kind: 'one',
  help: 'As "templates list" shows it.',
} as const
const runId = { name: 'RUN_ID', kind: 'one', help: 'As "runs list" shows it.' } as const
const inputs: Record<string, Option> = {
  input: {
    kind: 'list',
    value: 'NAME=VALUE',
    help: 'One input, read as the workflow declares it; NAME=@FILE takes the content of a file. May be repeated.',
  },
  inputs: {
    kind: 'text',
    value: 'FILE',
    help: 'All inputs as a JSON object, from a file or from standard input (-). --input goes over it.',
  },
}
const waiting: Record<string, Option> = {
  key: {
    kind: 'text',
    value: 'KEY',
    help: 'Idempotency key: the same key never starts a second run. Default: a new one.',
  },
  out: { kind: 'text', value: 'DIR', help: 'Save pictures and videos among the outputs here.' },
  'no-wait': { kind: 'flag', help: 'Submit, print the identifier, and do not wait.' },
}
const interrupt =
  'Ctrl-C stops waiting, not the run: on a terminal it then asks whether to cancel the run too.'

export const workflowCommands: readonly Command[] = [
  {
    name: 'workflow list',
    summary: 'List the workflows, newest first',
    options: { page: { kind: 'integer', value: 'N', help: 'Page of 200, from 1.' } },
    load: async () => (await import('../commands/workflow-read.ts')).listWorkflows,
  },
  {
    name: 'workflow get',
    summary: 'Show a workflow: its inputs, nodes and outputs',
    places: [workflowId],
    load: async () => (await import('../commands/workflow-read.ts')).getWorkflow,
  },
  {
    name: 'workflow push',
    summary: 'Store a workflow from a file: creates or updates',
    about:
      'The file is JSON as "workflow pull" writes it, or a bare graph {nodes, connections}. With an identifier, in the file or by --id, that workflow is updated, after a question; else a new one is made.',
    places: [{ name: 'FILE', kind: 'one', help: 'JSON file, or - for standard input.' }],
    options: {
      id: {
        kind: 'text',
        value: 'WORKFLOW_ID',
        help: 'Update this workflow, whatever the file says.',
      },
      new: { kind: 'flag', help: 'Make a new workflow, whatever the file says.' },
      name: { kind: 'text', value: 'NAME', help: 'Name to give it. Default: as in the file.' },
      yes: { kind: 'flag', help: 'Update without asking; needed where nobody can answer.' },
    },
    load: async () => (await import('../commands/workflow-write.ts')).pushWorkflow,
  },
  {
    name: 'workflow pull',
    summary: 'Write a workflow to a file',
    places: [
      workflowId,
      { name: 'FILE', kind: 'one', help: 'File to write, or - for standard output.' },
    ],
    options: { force: { kind: 'flag', help: 'Replace the file if it exists.' } },
    load: async () => (await import('../commands/workflow-write.ts')).pullWorkflow,
  },
  {
    name: 'workflow validate',
    summary: 'Check the graph in a file without storing it',
    about: 'Ends with 1 if the graph is not valid.',
    places: [{ name: 'FILE', kind: 'one', help: 'JSON file, or - for standard input.' }],
    load: async () => (await import('../commands/workflow-read.ts')).validateWorkflow,
  },
  {
    name: 'workflow estimate',
    summary: 'Estimate what a run would cost; calls no provider',
    places: [workflowId],
    options: inputs,
    load: async () => (await import('../commands/workflow-read.ts')).estimateWorkflow,
  },
  {
    name: 'workflow delete',
    summary: 'Delete a workflow for good',
    places: [workflowId],
    options: {
      confirm: {
        kind: 'text',
        value: 'WORKFLOW_ID',
        help: 'The same identifier again, instead of the question.',
      },
    },
    load: async () => (await import('../commands/workflow-write.ts')).deleteWorkflow,
  },
  {
    name: 'templates list',
    summary: 'List ready workflows to start from',
    load: async () => (await import('../commands/templates.ts')).listTemplates,
  },
  {
    name: 'templates show',
    summary: 'Show a template: what it does, its nodes, inputs to try',
    places: [templateId],
    load: async () => (await import('../commands/templates.ts')).showTemplate,
  },
  {
    name: 'templates create',
    summary: 'Store a workflow made from a template',
    places: [templateId],
    options: {
      name: { kind: 'text', value: 'NAME', help: 'Name to give it. Default: as the template.' },
    },
    load: async () => (await import('../commands/templates.ts')).createFromTemplate,
  },
  {
    name: 'run',
    summary: 'Run a workflow and show its progress and outputs',
    about: `Ends with 0 if the run is COMPLETED, else with 1. ${interrupt}`,
    places: [workflowId],
    options: {
      ...inputs,
      'max-cost': { kind: 'number', value: 'USD', help: 'Start nothing more once this is spent.' },
      'callback-url': { kind: 'text', value: 'URL', help: 'Public address for a signed webhook.' },
      ...waiting,
    },
    examples: [
      'atelier run 7 --input topic="the sea" --max-cost 0.50',
      'atelier run 7 --inputs inputs.json --json | jq .outputs',
    ],
    load: async () => (await import('../commands/run.ts')).run,
  },
  {
    name: 'runs list',
    summary: 'List the runs of a workflow, newest first',
    places: [workflowId],
    options: {
      page: { kind: 'integer', value: 'N', help: 'Page, from 1.' },
      size: { kind: 'integer', value: 'N', help: 'Runs per page, 1 to 200. Default: 20.' },
    },
    load: async () => (await import('../commands/runs.ts')).listRuns,
  },
  {
    name: 'runs get',
    summary: 'Show one run, or one node of it',
    places: [runId],
    options: {
      node: { kind: 'text', value: 'NODE_ID', help: 'What this node was given, did and gave.' },
    },
    load: async () => (await import('../commands/runs.ts')).getRun,
  },
  {
    name: 'runs wait',
    summary: 'Wait for a run, with its progress, and show its outputs',
    about: `Ends with 0 if the run is COMPLETED, else with 1. ${interrupt}`,
    places: [runId],
    options: { out: waiting.out as Option },
    load: async () => (await import('../commands/run.ts')).waitForRun,
  },
  {
    name: 'cancel',
    summary: 'Ask a run to stop',
    about: 'Calls already submitted to a provider may still finish and be billed.',
    places: [runId],
    options: { reason: { kind: 'text', value: 'TEXT', help: 'Kept with the run.' } },
    load: async () => (await import('../commands/runs.ts')).cancelRun,
  },
  {
    name: 'retry',
    summary: 'Run again what failed or was cancelled, reusing what was finished',
    about: `A new run; calls whose results are known are not made, or paid, again. ${interrupt}`,
    places: [runId],
    options: {
      newest: {
        kind: 'flag',
        help: 'With the graph the workflow has now. Default: the same graph.',
      },
      ...waiting,
    },
    load: async () => (await import('../commands/run.ts')).retry,
  },
]
