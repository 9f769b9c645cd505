// A run of the same workflow with the same inputs, for use outside the browser.

/** Quotes a text for a shell, in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const runAsCurl = (origin: string, workflowId: number, inputs: unknown): string =>
  [
    `curl -s ${origin}/api/ai-tools/v1/workflows/${workflowId}/runs`,
    '  -H "Authorization: Bearer $ATELIER_API_KEY"',
    '  -H "Idempotency-Key: $(uuidgen)"',
    '  -H "Content-Type: application/json"',
    `  -d ${quoted(JSON.stringify({ inputs }))}`,
  ].join(' \\\n')

export const runAsCode = (origin: string, workflowId: number, inputs: unknown): string =>
  `import { createClient } from 'atelier/client'

const client = createClient({ baseUrl: '${origin}', apiKey: process.env.ATELIER_API_KEY })
const run = await client.runs.submitAndWait(${workflowId}, ${JSON.stringify({ inputs }, null, 2)})
console.log(run.status, run.outputs)
`
