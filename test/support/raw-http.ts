import { connect } from 'node:net'

export type RawAnswer = {
  status: number
  headers: Record<string, string>
  body: string
}

/** Writes bytes as they are and reads until the server closes or the answer is complete. */
export function rawHttp(
  url: string,
  bytes: string | Buffer,
  options: { keepOpen?: boolean } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let seen = ''
    const finish = () => {
      const answer = parse(seen)
      if (answer) {
        socket.destroy()
        resolve(answer)
      }
    }
    socket.on('data', (chunk) => {
      seen += chunk
      finish()
    })
    socket.on('error', (error) => (seen === '' ? reject(error) : finish()))
    socket.on('close', () => {
      const answer = parse(seen)
      if (answer) resolve(answer)
      else reject(new Error(`closed after ${JSON.stringify(seen)}`))
    })
    socket.write(bytes)
    if (options.keepOpen === false) socket.end()
  })
}

function parse(text: string): RawAnswer | null {
  const split = text.indexOf('\r\n\r\n')
  if (split === -1) return null
  const [first = '', ...lines] = text.slice(0, split).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const body = text.slice(split + 4)
  if (Buffer.byteLength(body) < Number(headers['content-length'] ?? 0)) return null
  return { status: Number(first.split(' ')[1]), headers, body }
}
