// The tools of the programs that use an SDK: those of a small coding agent, and many more.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Arguments = Record<string, string>

export type WorkTool = {
  name: string
  description: string
  inputSchema: {
    type: 'object'
    properties: Record<string, { type: 'string' }>
    required: string[]
  }
  /** Text, or a picture in base64. */
  run(args: Arguments): { text: string } | { picture: string }
}

const schema = (...required: string[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(required.map((name) => [name, { type: 'string' as const }])),
  required,
})

const few: WorkTool[] = [
  {
    name: 'write_file',
    description: 'Writes a file.',
    inputSchema: schema('path', 'content'),
    run: ({ path = '', content = '' }) => {
      writeFileSync(path, content)
      return { text: 'written' }
    },
  },
  {
    name: 'run_command',
    description: 'Runs a command.',
    inputSchema: schema('command'),
    run: ({ command = '' }) => ({
      text: execFileSync('sh', ['-c', command], { encoding: 'utf8' }),
    }),
  },
  {
    name: 'view_image',
    description: 'Looks at a picture.',
    inputSchema: schema('path'),
    run: ({ path = '' }) => ({ picture: readFileSync(path, 'base64') }),
  },
]

const many = Array.from({ length: 150 }, (_, index): WorkTool => {
  const name = `tool_${String(index + 1).padStart(3, '0')}`
  const inputSchema = schema('path')
  return { name, description: `Tool ${index + 1}.`, inputSchema, run: () => ({ text: name }) }
})

/** What a program is started with. */
export function readTask() {
  const { SCRIPTED_URL = '', SCRIPTED_KEY = '', SCRIPTED_MODEL = '', HOME = '' } = process.env
  const [turn, prompt = ''] = process.argv.slice(2)
  const kept = join(HOME, 'conversation.json')
  return {
    url: SCRIPTED_URL,
    apiKey: SCRIPTED_KEY,
    model: SCRIPTED_MODEL,
    prompt,
    tools: prompt.includes('[[tools]]') ? [...few, ...many] : few,
    /** The conversation so far, as the program kept it. */
    kept: <T>(): T[] => (turn === 'next' ? JSON.parse(readFileSync(kept, 'utf8')) : []),
    keep: (conversation: unknown) => writeFileSync(kept, JSON.stringify(conversation)),
  }
}
