/** The graph, which has the focus while a node in it is the active one; null while a list is shown. */
export const graphElement = () => document.querySelector<HTMLElement>('.react-flow')

export const focusGraph = () => graphElement()?.focus({ preventScroll: true })
