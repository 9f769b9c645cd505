// Loaded before the command line: what goes to the reader's screen, which is a socket here, behaves
// as on a terminal. What the page redirects to a file or a pipe does not.
import { fstatSync } from 'node:fs'

for (const stream of [process.stdout, process.stderr]) {
  stream.isTTY = fstatSync(stream.fd).isSocket()
  stream.columns = 92
}
