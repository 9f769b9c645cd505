import type { Command, Option } from '../command.ts'

const model = (kind: string): Option => ({
  kind: 'text',
  value: 'ID',
  help: `Model to use. Default: the first ${kind} model that is no demonstration, else the demonstration.`,
})
const prompt = {
  name: 'PROMPT',
  kind: 'many',
  help: 'Its words. A single - stands for standard input, which is also read when there is none.',
} as const
const out: Option = {
  kind: 'text',
  value: 'PATH',
  help: 'File to write if it ends like one (.png, .mp4 …), else a folder, made if missing. Default: the current folder.',
}
const startingPicture: Option = {
  kind: 'text',
  value: 'FILE|URL',
  help: 'A picture to start from, where the model takes one.',
}
const noWait: Option = { kind: 'flag', help: 'Submit, print the identifier, and do not wait.' }

export const generationCommands: readonly Command[] = [
  {
    name: 'models',
    summary: 'List the models of the server',
    examples: ['atelier models', 'atelier models --json | jq -r ".items[].id"'],
    load: async () => (await import('../commands/models.ts')).models,
  },
  {
    name: 'chat',
    summary: 'Ask a text model and print its answer',
    about:
      'Each call is billed by the provider; it is never repeated on its own after it was sent.',
    places: [prompt],
    options: {
      model: model('TEXT'),
      system: { kind: 'text', value: 'TEXT', help: 'Instructions that precede the prompt.' },
      temperature: { kind: 'number', value: 'N', help: 'As the model allows.' },
      'max-tokens': { kind: 'integer', value: 'N', help: 'Longest answer.' },
      image: {
        kind: 'list',
        value: 'FILE|URL',
        help: 'A picture the prompt speaks of, where the model sees them. May be repeated.',
      },
    },
    examples: ['atelier chat What is 6 times 7?', 'cat notes.txt | atelier chat "Sum up:" -'],
    load: async () => (await import('../commands/chat.ts')).chat,
  },
  {
    name: 'image',
    summary: 'Make a picture and save it',
    about:
      'Submits a task, waits for it and downloads the result. Ctrl-C stops waiting; the task goes on.',
    places: [prompt],
    options: {
      model: model('IMAGE'),
      'aspect-ratio': { kind: 'text', value: 'W:H', help: 'Such as 16:9.' },
      quality: { kind: 'text', value: 'NAME', help: 'As "atelier models --json" lists.' },
      size: { kind: 'text', value: 'NAME', help: 'As "atelier models --json" lists.' },
      image: startingPicture,
      out,
      'no-wait': noWait,
    },
    examples: [
      'atelier image a lighthouse at dusk --aspect-ratio 16:9 --out dusk.png',
      'atelier image the same at night --image dusk.png --out pictures',
    ],
    load: async () => (await import('../commands/generate.ts')).image,
  },
  {
    name: 'video',
    summary: 'Make a video and save it',
    about:
      'Submits a task, waits for it and downloads the result. Ctrl-C stops waiting; the task goes on.',
    places: [prompt],
    options: {
      model: model('VIDEO'),
      'aspect-ratio': { kind: 'text', value: 'W:H', help: 'Such as 16:9.' },
      seconds: { kind: 'integer', value: 'N', help: 'Length.' },
      resolution: { kind: 'text', value: 'NAME', help: 'As "atelier models --json" lists.' },
      audio: { kind: 'flag', help: 'With sound, where the model can.' },
      image: startingPicture,
      out,
      'no-wait': noWait,
    },
    examples: ['atelier video waves on a beach --seconds 4'],
    load: async () => (await import('../commands/generate.ts')).video,
  },
  {
    name: 'tasks list',
    summary: 'List picture and video tasks, newest first',
    options: {
      page: { kind: 'integer', value: 'N', help: 'Page, from 1.' },
      size: { kind: 'integer', value: 'N', help: 'Tasks per page, 1 to 200. Default: 20.' },
    },
    load: async () => (await import('../commands/tasks.ts')).listTasks,
  },
  {
    name: 'tasks get',
    summary: 'Show one task',
    places: [{ name: 'TASK_ID', kind: 'one', help: 'As "tasks list" shows it.' }],
    load: async () => (await import('../commands/tasks.ts')).getTask,
  },
  {
    name: 'tasks wait',
    summary: 'Wait for a task and save its files',
    places: [{ name: 'TASK_ID', kind: 'one', help: 'As "tasks list" shows it.' }],
    options: { out },
    load: async () => (await import('../commands/generate.ts')).waitForTask,
  },
]
