import type { Command, Option } from '../command.ts'

const model = (kind: string): Option => ({
  kind: 'text',
  value: 'ID',
  help: `Model to use. Default: the first ${kind} model that is not a demonstration, else the demonstration.`,
})
const prompt = {
  name: 'PROMPT',
  kind: 'many',
  help: 'The words of the prompt. A single - means standard input, which is also read if there are no words.',
} as const
const out: Option = {
  kind: 'text',
  value: 'PATH',
  help: 'File to write if it has a media extension (.png, .mp4 …), else a folder, created if missing. Default: the current folder.',
}
const startingPicture: Option = {
  kind: 'text',
  value: 'FILE|URL',
  help: 'A picture to start from, if the model accepts one.',
}
const noWait: Option = { kind: 'flag', help: 'Submit, print the identifier, and do not wait.' }

export const generationCommands: readonly Command[] = [
  {
    name: 'models list',
    summary: 'List the models of the server',
    examples: ['atelier models', 'atelier models --json | jq -r ".items[].id"'],
    load: async () => (await import('../commands/models.ts')).models,
  },
  {
    name: 'chat',
    summary: 'Ask a text model and print its answer',
    about: 'Each call is billed by the provider; once sent, it is never repeated automatically.',
    positionals: [prompt],
    options: {
      model: model('TEXT'),
      system: { kind: 'text', value: 'TEXT', help: 'Instructions that precede the prompt.' },
      temperature: { kind: 'number', value: 'N', help: 'Within the range of the model.' },
      'max-tokens': { kind: 'integer', value: 'N', help: 'Maximum length of the answer.' },
      image: {
        kind: 'list',
        value: 'FILE|URL',
        help: 'A picture the prompt refers to, if the model can see pictures. May be repeated.',
      },
    },
    examples: ['atelier chat What is 6 times 7?', 'cat notes.txt | atelier chat "Sum up:" -'],
    load: async () => (await import('../commands/chat.ts')).chat,
  },
  {
    name: 'image',
    summary: 'Generate a picture and save it',
    about:
      'Submits a task, waits for it and downloads the result. Ctrl-C stops waiting; the task continues.',
    positionals: [prompt],
    options: {
      model: model('IMAGE'),
      'aspect-ratio': { kind: 'text', value: 'W:H', help: 'Such as 16:9.' },
      quality: { kind: 'text', value: 'NAME', help: 'As "atelier models --json" lists.' },
      size: { kind: 'text', value: 'NAME', help: 'As "atelier models --json" lists.' },
      image: startingPicture,
      mask: {
        kind: 'text',
        value: 'FILE|URL',
        help: 'With --image: a PNG of its size, transparent where the picture may change.',
      },
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
    summary: 'Generate a video and save it',
    about:
      'Submits a task, waits for it and downloads the result. Ctrl-C stops waiting; the task continues.',
    positionals: [prompt],
    options: {
      model: model('VIDEO'),
      'aspect-ratio': { kind: 'text', value: 'W:H', help: 'Such as 16:9.' },
      seconds: { kind: 'integer', value: 'N', help: 'Length.' },
      resolution: { kind: 'text', value: 'NAME', help: 'As "atelier models --json" lists.' },
      audio: { kind: 'flag', help: 'With sound, if the model can.' },
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
    positionals: [{ name: 'TASK_ID', kind: 'one', help: 'As "tasks list" shows it.' }],
    load: async () => (await import('../commands/tasks.ts')).getTask,
  },
  {
    name: 'tasks wait',
    summary: 'Wait for a task and save its files',
    positionals: [{ name: 'TASK_ID', kind: 'one', help: 'As "tasks list" shows it.' }],
    options: { out },
    load: async () => (await import('../commands/generate.ts')).waitForTask,
  },
]
