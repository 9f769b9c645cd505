import { sourceFiles } from './source-files.ts'

const longest = { source: 300, test: 500 }

/** Opens every file that a script writes from the registries; nobody reads those. */
const written = /^\/\/ Written from /

/** A file is read in one sitting. */
export const checkSizes = (): string[] =>
  sourceFiles('{src,console,test,scripts,examples}/**/*.{ts,tsx}').flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1
    const limit = path.startsWith('test/') ? longest.test : longest.source
    return lines > limit && !written.test(text) ? [`${path}: ${lines} lines; at most ${limit}`] : []
  })
