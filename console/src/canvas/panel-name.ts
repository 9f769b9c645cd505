/** A panel beside or below the graph, as the address names it. */
export type PanelName = 'problems' | 'versions' | 'json' | 'run' | 'triggers'
