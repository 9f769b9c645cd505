// Emscripten reads the flags of files through `process.binding`, which is forbidden to an isolated
// process. This answers that one question, in the process and in each thread of the library.
import { constants } from 'node:fs'

Object.assign(process, { binding: () => ({ fs: constants }) })
