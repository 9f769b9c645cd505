// A webhook that starts runs, if GitHub or Slack signed it: makes the trigger, then plays the sender.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { AtelierError, createClient } from 'atelier/client'

const baseUrl = process.env.ATELIER_URL ?? 'http://127.0.0.1:8787'
const client = createClient({
  baseUrl,
  apiKey: process.env.ATELIER_API_KEY ?? '',
  signal: AbortSignal.timeout(300_000),
})
const hmac = (secret, text) => createHmac('sha256', secret).update(text).digest('hex')

/** How each sender signs, as its own documentation says. */
const senders = {
  github: {
    template: 'github-issue-summary',
    sign: (secret, body) => ({
      'x-hub-signature-256': `sha256=${hmac(secret, body)}`,
      'x-github-delivery': randomUUID(),
    }),
  },
  slack: {
    template: 'slack-question',
    sign(secret, body) {
      const seconds = Math.floor(Date.now() / 1000)
      const signature = `v0=${hmac(secret, `v0:${seconds}:${body}`)}`
      return { 'x-slack-request-timestamp': String(seconds), 'x-slack-signature': signature }
    },
  },
}

/** Only a person may store secrets, so this signs in. */
async function storeSecret(name, secret) {
  const { ATELIER_EMAIL: email, ATELIER_PASSWORD: password } = process.env
  const call = async (path, body, cookie = '') => {
    const headers = { 'content-type': 'application/json', origin: new URL(baseUrl).origin, cookie }
    const url = `${baseUrl}/api/console/v1${path}`
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${(await answer.json()).error.message}`)
    return answer.headers.getSetCookie()[0]?.split(';')[0]
  }
  const session = await call('/sign-in', { email, password })
  await call('/credentials', { name, kind: 'webhook', secret }, session)
  await call('/sign-out', {}, session)
}

try {
  const { template: wanted, sign } = senders[process.argv[2] ?? 'github']
  const secret = randomBytes(24).toString('hex')
  const credential = `${wanted}-${secret.slice(0, 6)}`
  await storeSecret(credential, secret)

  const { items } = await client.templates.list()
  const { name, data, trigger } = items.find(({ id }) => id === wanted)
  const { sample, ...settings } = trigger
  const verify = { ...trigger.verify, credentials: [credential] }
  const { workflowId } = await client.workflows.create({ name, data })
  const { triggerId, url } = await client.triggers.create(workflowId, { ...settings, verify })
  console.log(`workflow ${workflowId}, trigger ${triggerId}`)

  const body = JSON.stringify(sample.body)
  const send = (signed) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...sample.headers, ...signed },
      body,
    })
  console.log(`forged: ${(await send(sign('a guess', body))).status}`)
  const signed = sign(secret, body)
  const accepted = await send(signed)
  const { runId } = (await accepted.json()).data
  console.log(`signed: ${accepted.status}, run ${runId}`)
  const repeated = (await (await send(signed)).json()).data
  console.log(`again: ${repeated.runId === runId ? 'the same run' : 'another run'}`)

  const { status, outputs, nodeErrors } = await client.runs.wait(runId)
  if (status !== 'COMPLETED') throw new Error(nodeErrors[0]?.message ?? status)
  for (const [output, value] of Object.entries(outputs)) console.log(`${output}:`, value)
} catch (error) {
  if (!(error instanceof AtelierError)) throw error
  console.error(`${error.code}: ${error.message} [request ${error.requestId}]`)
  process.exitCode = 1
}
