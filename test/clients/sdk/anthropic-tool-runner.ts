// The tool runner of Anthropic's SDK, which asks for threads and then sends only what is new.
import Anthropic from '@anthropic-ai/sdk'
import { readTask, type WorkTool } from './work-tools.ts'

const { url, apiKey, model, prompt, tools, kept, keep } = readTask()

const asTool = ({ name, description, inputSchema, run }: WorkTool) => ({
  name,
  description,
  input_schema: inputSchema,
  parse: (input: unknown) => input as Record<string, string>,
  run: (args: Record<string, string>) => {
    const result = run(args)
    if ('text' in result) return result.text
    const source = {
      type: 'base64' as const,
      media_type: 'image/png' as const,
      data: result.picture,
    }
    return [{ type: 'image' as const, source }]
  },
})

const client = new Anthropic({ baseURL: url, apiKey })
const runner = client.beta.messages.toolRunner({
  model,
  max_tokens: 4000,
  stream: true,
  messages: [
    ...kept<Anthropic.Beta.BetaMessageParam>(),
    { role: 'user' as const, content: prompt },
  ],
  tools: tools.map(asTool),
})
for await (const stream of runner) {
  stream.on('text', (piece: string) => void process.stdout.write(piece))
  await stream.finalMessage()
}
keep(runner.params.messages)
