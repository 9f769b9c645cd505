import { sourceFiles } from './source-files.ts'

const longest = { source: 300, test: 500 }

/** The first line of generated files, which may have any size. */
const written = /^\/\/ Written from /

/** A file must be short enough to be read in one sitting. */
export const checkSizes = (): string[] =>
  sourceFiles('{src,console,test,scripts,examples}/**/*.{ts,tsx}').flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1
    const limit = path.startsWith('test/') ? longest.test : longest.source
    return lines > limit && !written.test(text) ? [`${path}: ${lines} lines; at most ${limit}`] : []
  })
