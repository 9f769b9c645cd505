import type { Command, Option } from '../command.ts'
import { economyOptions, inputOptions, partOptions } from './input-options.ts'

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
    positionals: [workflowId],
    load: async () => (await import('../commands/workflow-read.ts')).getWorkflow,
  },
  {
    name: 'workflow push',
    summary: 'Store a workflow from a file: creates or updates',
    about:
      'The file is JSON as "workflow pull" writes it, or a bare graph {nodes, connections}. If the file or --id names a workflow, that workflow is updated after a question; otherwise a new one is created.',
    positionals: [{ name: 'FILE', kind: 'one', help: 'JSON file, or - for standard input.' }],
    options: {
      id: {
        kind: 'text',
        value: 'WORKFLOW_ID',
        help: 'Update this workflow, whatever the file says.',
      },
      new: { kind: 'flag', help: 'Create a new workflow, whatever the file says.' },
      name: { kind: 'text', value: 'NAME', help: 'Name to give it. Default: as in the file.' },
      yes: { kind: 'flag', help: 'Update without asking; required without a terminal.' },
    },
    load: async () => (await import('../commands/workflow-write.ts')).pushWorkflow,
  },
  {
    name: 'workflow pull',
    summary: 'Write a workflow to a file',
    positionals: [
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
    positionals: [{ name: 'FILE', kind: 'one', help: 'JSON file, or - for standard input.' }],
    load: async () => (await import('../commands/workflow-read.ts')).validateWorkflow,
  },
  {
    name: 'workflow estimate',
    summary: 'Estimate what a run would cost; calls no provider',
    positionals: [workflowId],
    options: { ...inputOptions, ...partOptions, ...economyOptions },
    load: async () => (await import('../commands/workflow-read.ts')).estimateWorkflow,
  },
  {
    name: 'workflow delete',
    summary: 'Delete a workflow permanently',
    positionals: [workflowId],
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
    summary: 'List ready-made workflows to start from',
    load: async () => (await import('../commands/templates.ts')).listTemplates,
  },
  {
    name: 'templates show',
    summary: 'Show a template: what it does, its nodes, inputs to try',
    positionals: [templateId],
    load: async () => (await import('../commands/templates.ts')).showTemplate,
  },
  {
    name: 'templates create',
    summary: 'Store a workflow created from a template',
    positionals: [templateId],
    options: {
      name: { kind: 'text', value: 'NAME', help: 'Name to give it. Default: as the template.' },
    },
    load: async () => (await import('../commands/templates.ts')).createFromTemplate,
  },
  {
    name: 'run',
    summary: 'Run a workflow and show its progress and outputs',
    about: `Ends with 0 if the run is COMPLETED, else with 1. ${interrupt}`,
    positionals: [workflowId],
    options: {
      ...inputOptions,
      ...partOptions,
      'max-cost': {
        kind: 'number',
        value: 'USD',
        help: 'Make no call that could raise the cost above this amount.',
      },
      tag: { kind: 'text', value: 'TAG', help: 'What the run is counted under.' },
      ...economyOptions,
      'callback-url': { kind: 'text', value: 'URL', help: 'Public address for a signed webhook.' },
      ...waiting,
    },
    examples: [
      'atelier run 7 --input topic="the sea" --max-cost 0.50',
      'atelier run 7 --inputs inputs.json --json | jq .outputs',
      'atelier run 7 --inputs inputs.json --reuse --only headline',
      'atelier run 7 --inputs inputs.json --economy --deadline 36h --no-wait',
    ],
    load: async () => (await import('../commands/run.ts')).run,
  },
  {
    name: 'runs list',
    summary: 'List the runs of a workflow, newest first',
    positionals: [workflowId],
    options: {
      page: { kind: 'integer', value: 'N', help: 'Page, from 1.' },
      size: { kind: 'integer', value: 'N', help: 'Runs per page, 1 to 200. Default: 20.' },
    },
    load: async () => (await import('../commands/runs.ts')).listRuns,
  },
  {
    name: 'runs get',
    summary: 'Show one run, or one node of it',
    positionals: [runId],
    options: {
      node: {
        kind: 'text',
        value: 'NODE_ID',
        help: 'Show the inputs, calls and outputs of this node.',
      },
    },
    load: async () => (await import('../commands/runs.ts')).getRun,
  },
  {
    name: 'runs items',
    summary: 'List the items of a list in a run, or the passes of a loop',
    about: 'Inside called workflows, name the path: call/write or call[3]/write.',
    positionals: [runId, { name: 'NODE', kind: 'one', help: 'The node, or its path.' }],
    options: {
      failed: { kind: 'flag', help: 'Only those that failed.' },
      page: { kind: 'integer', value: 'N', help: 'Page, from 1.' },
      size: { kind: 'integer', value: 'N', help: 'Items per page, 1 to 200. Default: 50.' },
    },
    load: async () => (await import('../commands/runs.ts')).listItems,
  },
  {
    name: 'runs wait',
    summary: 'Wait for a run, with its progress, and show its outputs',
    about: `Ends with 0 if the run is COMPLETED, else with 1. ${interrupt}`,
    positionals: [runId],
    options: { out: waiting.out as Option },
    load: async () => (await import('../commands/run.ts')).waitForRun,
  },
  {
    name: 'cancel',
    summary: 'Ask a run to stop',
    about: 'Calls already submitted to a provider may still finish and be billed.',
    positionals: [runId],
    options: { reason: { kind: 'text', value: 'TEXT', help: 'Kept with the run.' } },
    load: async () => (await import('../commands/runs.ts')).cancelRun,
  },
  {
    name: 'retry',
    summary: 'Run again what failed or was cancelled, reusing what was finished',
    about: `Starts a new run. Calls whose results are known are neither made nor paid for again. ${interrupt}`,
    positionals: [runId],
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
