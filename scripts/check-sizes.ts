import { isGenerated, sourceFiles } from './source-files.ts'

const longest = { source: 300, test: 500 }

/** A file must be short enough to be read in one sitting, unless it is generated. */
export const checkSizes = (): string[] =>
  sourceFiles('{src,console,test,scripts,examples}/**/*.{ts,tsx}').flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1
    const limit = path.startsWith('test/') ? longest.test : longest.source
    return lines > limit && !isGenerated(text) ? [`${path}: ${lines} lines; at most ${limit}`] : []
  })
