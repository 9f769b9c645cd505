// The Vercel AI SDK with its default provider for OpenAI, which relies on stored responses.
import { createOpenAI } from '@ai-sdk/openai'
import { isStepCount, jsonSchema, type ModelMessage, streamText, tool } from 'ai'
import { readTask, type WorkTool } from './work-tools.ts'

const { url, apiKey, model, prompt, tools, kept, keep } = readTask()

const asTool = ({ name, description, inputSchema, run }: WorkTool) => [
  name,
  tool({
    description,
    inputSchema: jsonSchema<Record<string, string>>(inputSchema),
    execute: async (args) => run(args),
    toModelOutput: ({ output }) =>
      'text' in output
        ? { type: 'text', value: output.text }
        : {
            type: 'content',
            value: [
              {
                type: 'file',
                mediaType: 'image/png',
                data: { type: 'data', data: output.picture },
              },
            ],
          },
  }),
]

const messages: ModelMessage[] = [...kept<ModelMessage>(), { role: 'user', content: prompt }]
const result = streamText({
  model: createOpenAI({ baseURL: `${url}/v1`, apiKey })(model),
  messages,
  tools: Object.fromEntries(tools.map(asTool)),
  stopWhen: isStepCount(10),
  onError: ({ error }) => {
    throw error
  },
})
for await (const piece of result.textStream) process.stdout.write(piece)
keep([...messages, ...(await result.responseMessages)])
