// The same request for use outside the browser. Keys appear only by name.
type Snippet = { curl: string; client: string }

/** Quotes a text for a shell, in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const curlOf = (address: string, body: unknown): string =>
  [
    `curl -s ${address}`,
    '  -H "Authorization: Bearer $ATELIER_API_KEY"',
    '  -H "Content-Type: application/json"',
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n')

export function creativeCode(origin: string, kind: 'IMAGE' | 'VIDEO', body: object): Snippet {
  const path = kind === 'IMAGE' ? 'images' : 'videos'
  return {
    curl: curlOf(`${origin}/api/ai-tools/v1/${path}/generations`, body),
    client: `import { createClient } from 'atelier/client'

const client = createClient({ baseUrl: '${origin}', apiKey: process.env.ATELIER_API_KEY })
const { taskId } = await client.${path}.generate(${indented(body)})
console.log(await client.tasks.wait(taskId))
`,
  }
}

export function chatCode(origin: string, body: object): Snippet {
  return {
    curl: curlOf(`${origin}/v1/chat/completions`, body),
    client: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.ATELIER_API_KEY })
const answer = await client.chat.completions.create(${indented(body)})
console.log(answer.choices[0]?.message.content)
`,
  }
}

const indented = (body: object): string => JSON.stringify(body, null, 2)
