import { type Doc, type Graph, readGraph } from './graph.ts'

export function downloadDoc({ name, graph }: Doc) {
  const text = JSON.stringify({ name, data: graph }, null, 2)
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '') || 'workflow'}.json`
  link.click()
  // The download starts with the next task; until then the address must stay valid.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}

export type ReadDoc =
  | { readonly ok: true; readonly doc: { name: string | null; graph: Graph } }
  | { readonly ok: false; readonly why: string }

/** A workflow from JSON text: an export, a record of the API, or a bare graph. */
export function readDoc(text: string): ReadDoc {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return {
      ok: false,
      why: `This is not valid JSON: ${error instanceof Error ? error.message : error}`,
    }
  }
  const record = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >
  const graph = readGraph(record.data) ?? readGraph(record)
  if (!graph) {
    return {
      ok: false,
      why: 'This JSON is not a workflow: it needs nodes (each with its own id and a type) and connections.',
    }
  }
  return { ok: true, doc: { name: typeof record.name === 'string' ? record.name : null, graph } }
}

type ImportedDoc = { name: string | null; graph: Graph }

/** The workflows of a file with one or several, or why it cannot be read. */
export function docsIn(text: string): ImportedDoc[] | string {
  const docs = partsOf(text).map(readDoc)
  const bad = docs.find((read) => !read.ok)
  return bad?.why ?? docs.flatMap((read) => (read.ok ? [read.doc] : []))
}

function partsOf(text: string): string[] {
  try {
    const value = JSON.parse(text)
    if (!Array.isArray(value?.workflows) || value.workflows.length === 0) return [text]
    return value.workflows.map((one: unknown) => JSON.stringify(one))
  } catch {
    return [text]
  }
}
