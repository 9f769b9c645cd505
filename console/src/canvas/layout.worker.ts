import { layoutGraph } from './layout.ts'

self.onmessage = ({ data }) => {
  self.postMessage({ id: data.id, places: layoutGraph(data.request) })
}
