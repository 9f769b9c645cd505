import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Server = { run(): Promise<{ port: number }>; close(): Promise<void> }
type ServerClass = new (options: {
  address: string
  port: number
  silent: boolean
  directory: string
  configureBuckets: { name: string }[]
}) => Server

export type S3Server = AsyncDisposable & {
  /** A value for MEDIA_URL. */
  mediaUrl: string
  credentials: { accessKeyId: string; secretAccessKey: string }
  /** Changes the bytes of an object behind the back of its store. */
  overwrite(name: string, bytes: Uint8Array): Promise<void>
}

/** A third-party S3-compatible server, on a free port and with its own folder. */
export async function startS3Server(): Promise<S3Server> {
  const require = createRequire(import.meta.url)
  // The package has no types.
  const S3rver = require('s3rver') as ServerClass
  const directory = await mkdtemp(join(tmpdir(), 'atelier-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'pictures' }],
  })
  const { port } = await server.run()
  const endpoint = encodeURIComponent(`http://127.0.0.1:${port}`)
  return {
    mediaUrl: `s3://pictures/some/prefix?endpoint=${endpoint}&pathStyle=1`,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    async overwrite(name, bytes) {
      await writeFile(
        join(directory, 'pictures', 'some', 'prefix', `${name}._S3rver_object`),
        bytes,
      )
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
