// The parts of PostgreSQL's protocol that a pooler must understand:
// https://www.postgresql.org/docs/current/protocol-message-formats.html

/** `bytes` is the whole message: its type, its length and its content. */
export type Message = { type: string; bytes: Buffer }

/** Returns a function that takes bytes as they arrive and passes on complete messages. */
export function readMessages(onMessage: (message: Message) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 5 && rest.length >= 1 + rest.readInt32BE(1)) {
      const length = 1 + rest.readInt32BE(1)
      const message = { type: String.fromCharCode(rest[0] ?? 0), bytes: rest.subarray(0, length) }
      rest = rest.subarray(length)
      onMessage(message)
    }
  }
}

/** The parameters that a client connects with. */
export function startupOf(bytes: Buffer): Record<string, string> {
  const words = bytes.subarray(8, bytes.readInt32BE(0)).toString().split('\0')
  const named: Record<string, string> = {}
  for (let i = 0; i + 1 < words.length && words[i]; i += 2)
    named[words[i] ?? ''] = words[i + 1] ?? ''
  return named
}

const endOf = (bytes: Buffer, from: number) => bytes.indexOf(0, from)

export const wordAt = (bytes: Buffer, from: number) =>
  bytes.toString('utf8', from, endOf(bytes, from))

/** The message with another word in place of the one at `from`. */
export function reworded(bytes: Buffer, from: number, word: string): Buffer {
  const content = [bytes.subarray(0, from), Buffer.from(word), bytes.subarray(endOf(bytes, from))]
  const changed = Buffer.concat(content)
  changed.writeInt32BE(changed.length - 1, 1)
  return changed
}
