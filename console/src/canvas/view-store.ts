// What the canvas shows besides the document: the server's last answer, what the pointer is doing,
// what is open. None of it is undone or saved.
import { createStore } from 'zustand/vanilla'
import type { CheckedWorkflow, GraphEstimate, Model } from '#console/api/types.ts'
import type { LooseEnd } from './connect-rules.ts'
import type { DraftState } from './draft-keeper.ts'
import type { Graph, Position } from './graph.ts'
import {
  createPortsOf,
  keepPorts,
  type NodeTypes,
  type Ports,
  type PortsOf,
  withWiredPorts,
} from './node-types.ts'
import type { PlacedProblem } from './placed-problem.ts'
import { placeProblems } from './problems.ts'
import { type Asked, allNodes } from './run/run-part.ts'

/** Where a new node goes, and the loose wire to connect it to. */
export type Picker = { readonly at: Position | null; readonly loose: LooseEnd | null }

export type ViewState = {
  readonly types: NodeTypes
  readonly models: readonly Model[]
  readonly checked: CheckedWorkflow | null
  /** The last answer is about an older graph, because the server could not be reached. */
  readonly isCheckOld: boolean
  /** The graph has changed since the last answer, and another one is on its way. */
  readonly isChecking: boolean
  readonly ports: Readonly<Record<string, Ports>>
  readonly portsOf: PortsOf
  readonly problems: readonly PlacedProblem[]
  readonly problemsOf: ReadonlyMap<string, readonly PlacedProblem[]>
  readonly currentProblem: PlacedProblem | null
  readonly connecting: { loose: LooseEnd; refusals: ReadonlyMap<string, string | null> } | null
  /** Shown at a port that refused a wire. */
  readonly refusal: { key: string; why: string } | null
  readonly hovered: string | null
  readonly dragged: ReadonlySet<string>
  /** Where dragged nodes are now. The document learns it when they are dropped. */
  readonly moved: ReadonlyMap<string, Position>
  /** The wire into which a dragged node would be inserted. */
  readonly dropWire: string | null
  readonly picker: Picker | null
  /** What the shown run asks, while somebody answers it. */
  readonly answering: string | null
  /** The node from which the keyboard's connect dialog starts. */
  readonly connectFrom: string | null
  /** A menu at this point of the screen; `at` is the same point in the graph. */
  readonly menu: { readonly screen: Position; readonly at: Position } | null
  /** What of the graph the next run is about. */
  readonly asked: Asked
  /** What the next run would cost with the inputs in the panel, for the graph on screen. */
  readonly foreseen: GraphEstimate | null
  readonly draft: DraftState
  /** Why an action failed that has no place of its own on screen, such as a paste. */
  readonly notice: string | null
}

const nobody: ReadonlySet<string> = new Set()
export const nowhere: ReadonlyMap<string, Position> = new Map()

export const createViewStore = (types: NodeTypes, models: readonly Model[]) =>
  createStore<ViewState>()(() => ({
    types,
    models,
    checked: null,
    isCheckOld: false,
    isChecking: false,
    ports: {},
    portsOf: createPortsOf(types, {}),
    problems: [],
    problemsOf: new Map(),
    currentProblem: null,
    connecting: null,
    refusal: null,
    hovered: null,
    dragged: nobody,
    moved: nowhere,
    dropWire: null,
    picker: null,
    answering: null,
    connectFrom: null,
    menu: null,
    asked: allNodes,
    foreseen: null,
    draft: 'none',
    notice: null,
  }))

export type ViewStore = ReturnType<typeof createViewStore>

/** Applies the server's check of this graph. */
export function showCheck(view: ViewStore, graph: Graph, checked: CheckedWorkflow) {
  view.setState((state) => {
    const ports = keepPorts(state.ports, checked.ports)
    const problems = placeProblems(graph, checked.validation, state.types)
    return {
      checked,
      isCheckOld: false,
      isChecking: false,
      ports,
      portsOf:
        ports === state.ports
          ? state.portsOf
          : withWiredPorts(graph, createPortsOf(state.types, ports)),
      problems,
      problemsOf: Map.groupBy(
        problems.filter((problem) => problem.nodeId !== undefined),
        (problem) => problem.nodeId ?? '',
      ),
      currentProblem: null,
    }
  })
}

/** Wires changed: the ports they name stay visible until the server has answered. */
export const showWires = (view: ViewStore, graph: Graph) =>
  view.setState(({ types, ports }) => ({
    portsOf: withWiredPorts(graph, createPortsOf(types, ports)),
  }))
