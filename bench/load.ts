// A load generator with little overhead: raw sockets, one request at a time on each, answers
// delimited by their Content-Length. Runs in its own process and prints one line of JSON.
import { connect, type Socket } from 'node:net'

export type LoadPlan = {
  url: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  connections: number
  /** Stop after this time, or after `requests` answers. */
  seconds?: number
  requests?: number
  /** Requests per second over all connections (open loop). Default: as fast as answers arrive. */
  perSecond?: number
  expectStatus: number
}

export type LoadResult = {
  requests: number
  seconds: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  unexpected: number
}

const headEnd = Buffer.from('\r\n\r\n')

export function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const { hostname, port, host } = new URL(plan.url)
  const body = plan.body ?? ''
  const head = [
    `${plan.method} ${plan.path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(plan.headers).map(([n, v]) => `${n}: ${v}`),
  ]
  if (body !== '') head.push(`Content-Length: ${Buffer.byteLength(body)}`)
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  const latencies: number[] = []
  let unexpected = 0
  const startedAt = performance.now()
  let done = false

  return new Promise((resolve, reject) => {
    const finish = () => {
      if (done) return
      done = true
      const seconds = (performance.now() - startedAt) / 1000
      latencies.sort((a, b) => a - b)
      const at = (q: number) =>
        latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0
      for (const socket of sockets) socket.destroy()
      resolve({
        requests: latencies.length,
        seconds,
        perSecond: latencies.length / seconds,
        p50Ms: at(0.5),
        p99Ms: at(0.99),
        unexpected,
      })
    }
    const answered = (status: number, sentAt: number) => {
      latencies.push(performance.now() - sentAt)
      if (status !== plan.expectStatus) unexpected++
      if (plan.requests !== undefined && latencies.length >= plan.requests) finish()
    }
    const idle: (() => void)[] = []
    const sockets: Socket[] = Array.from({ length: plan.connections }, () => {
      const socket = connect(Number(port), hostname)
      socket.setNoDelay(true)
      let sentAt = 0
      const send = () => {
        if (done) return
        sentAt = performance.now()
        socket.write(bytes)
      }
      const next = plan.perSecond === undefined ? send : () => void idle.push(send)
      socket.on('connect', next)
      socket.on('error', reject)
      readAnswers(socket, (status) => {
        answered(status, sentAt)
        next()
      })
      return socket
    })
    if (plan.seconds !== undefined) setTimeout(finish, plan.seconds * 1000)
    if (plan.perSecond !== undefined)
      pace(
        plan.perSecond,
        () => done,
        () => idle.shift()?.(),
      )
  })
}

function pace(perSecond: number, isDone: () => boolean, fire: () => void) {
  const startedAt = performance.now()
  let fired = 0
  const timer = setInterval(() => {
    if (isDone()) return clearInterval(timer)
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond)
    for (; fired < due; fired++) fire()
  }, 1)
}

function readAnswers(socket: Socket, onAnswer: (status: number) => void) {
  let pending: Buffer = Buffer.alloc(0)
  let bodyLeft = 0
  let status = 0
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    for (;;) {
      if (bodyLeft > 0) {
        if (pending.length < bodyLeft) {
          bodyLeft -= pending.length
          pending = Buffer.alloc(0)
          return
        }
        pending = pending.subarray(bodyLeft)
        bodyLeft = 0
        onAnswer(status)
        continue
      }
      const end = pending.indexOf(headEnd)
      if (end === -1) return
      const head = pending.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      bodyLeft = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      pending = pending.subarray(end + 4)
      if (bodyLeft === 0) onAnswer(status)
    }
  })
}

if (import.meta.main) {
  const plan = JSON.parse(process.argv[2] ?? '') as LoadPlan
  console.log(JSON.stringify(await runLoad(plan)))
}
