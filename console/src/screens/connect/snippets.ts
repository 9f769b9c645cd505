// What to paste where, with this server's address filled in. Keys appear only as a variable.
import type { Way } from './address.ts'

export type Snippet = { title: string; text: string; note?: string }
export type Guide = { label: string; lead: string; snippets: Snippet[] }

const api = (baseUrl: string) => `${baseUrl}/api/ai-tools/v1`

export const guides: Record<Way, (baseUrl: string) => Guide> = {
  curl: (baseUrl) => ({
    label: 'curl',
    lead: 'Plain HTTP from any language looks like this.',
    snippets: [
      {
        title: 'Ask a text model',
        text: `curl -s ${api(baseUrl)}/chat/completions \\
  -H "Authorization: Bearer $ATELIER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"demo-text","messages":[{"role":"user","content":"What is 12% of 250?"}]}'`,
      },
      {
        title: 'Make an image',
        text: `curl -s ${api(baseUrl)}/images/generations \\
  -H "Authorization: Bearer $ATELIER_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"demo-image","messages":[{"role":"user","content":"A lighthouse at dusk"}]}'`,
        note: 'The answer is a taskId. Read the task until it is done:',
      },
      {
        title: 'Read the task',
        text: `curl -s ${api(baseUrl)}/tasks/$TASK_ID \\
  -H "Authorization: Bearer $ATELIER_API_KEY"`,
      },
      {
        title: 'Run a workflow',
        text: `curl -s ${api(baseUrl)}/workflows/$WORKFLOW_ID/runs \\
  -H "Authorization: Bearer $ATELIER_API_KEY" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -H "Content-Type: application/json" \\
  -d '{"inputs":{}}'`,
        note: 'The idempotency key makes it safe to send the same request again: it runs once.',
      },
    ],
  }),
  javascript: (baseUrl) => ({
    label: 'JavaScript',
    lead: 'The client has no dependencies and runs in Node 20 or later and in browsers.',
    snippets: [
      {
        title: 'Build the client in a clone of the server',
        text: 'npm run build:client     # writes dist/client',
      },
      {
        title: 'Use it',
        text: `import { createClient } from 'atelier/client'

const client = createClient({
  baseUrl: '${baseUrl}',
  apiKey: process.env.ATELIER_API_KEY,
})

const { taskId } = await client.images.generate({
  model: 'demo-image',
  messages: [{ role: 'user', content: 'A lighthouse at dusk' }],
})
const task = await client.tasks.wait(taskId)
console.log(task.imageContent[0].url)`,
      },
    ],
  }),
  openai: (baseUrl) => ({
    label: 'OpenAI SDK',
    lead: 'Programs written for OpenAI’s chat API work once you change the address and the key.',
    snippets: [
      {
        title: 'JavaScript',
        text: `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${baseUrl}/v1',
  apiKey: process.env.ATELIER_API_KEY,
})
const answer = await client.chat.completions.create({
  model: 'demo-text',
  messages: [{ role: 'user', content: 'What is 12% of 250?' }],
})
console.log(answer.choices[0].message.content)`,
      },
      {
        title: 'Python',
        text: `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key=os.environ["ATELIER_API_KEY"])
answer = client.chat.completions.create(
    model="demo-text",
    messages=[{"role": "user", "content": "What is 12% of 250?"}],
)
print(answer.choices[0].message.content)`,
      },
    ],
  }),
  mcp: (baseUrl) => ({
    label: 'MCP',
    lead: 'Agents get the API’s tools; with ?workflows=1 each of your workflows is a tool of its own. Apps that ask for an address alone open a page here, where you choose what they may do.',
    snippets: [
      {
        title: 'The address, for Claude, ChatGPT and every app that accepts a remote MCP server',
        text: `${baseUrl}/mcp`,
        note: 'Apps that run elsewhere must reach this address over the internet, by https.',
      },
      {
        title: 'Claude Code',
        text: `claude mcp add --transport http atelier ${baseUrl}/mcp`,
        note: 'Type /mcp in Claude Code to connect.',
      },
      {
        title: 'Cursor (.cursor/mcp.json)',
        text: `{
  "mcpServers": {
    "atelier": { "url": "${baseUrl}/mcp" }
  }
}`,
      },
      {
        title: 'Codex, with a key (~/.codex/config.toml)',
        text: `[mcp_servers.atelier]
url = "${baseUrl}/mcp"
bearer_token_env_var = "ATELIER_API_KEY"`,
      },
    ],
  }),
  skills: (baseUrl) => ({
    label: 'Skills',
    lead: 'Instructions an agent installs: how to generate, and how to find, run and build workflows here.',
    snippets: [
      { title: 'With the installer', text: `npx skills add ${baseUrl}` },
      {
        title: 'By hand',
        text: `curl -sSO ${api(baseUrl)}/skills.zip
unzip skills.zip -d .claude/skills`,
        note: 'There is no credential inside: the agent reads ATELIER_API_KEY from its environment.',
      },
    ],
  }),
}
