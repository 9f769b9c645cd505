/** How to start, shown over an empty canvas; clicks and drops reach the canvas below. */
export function EmptyGraph() {
  return (
    <div className="pointer-events-none absolute inset-0 flex items-center justify-center p-6">
      <div className="max-w-sm text-center">
        <p className="font-semibold text-lg">Add the first node</p>
        <p className="mt-1 text-soft">
          Click one in the list or drag it here: usually an input first. Then draw a wire from the
          port on its right edge to the next node, and end with an output.
        </p>
        <p className="mt-2 text-soft text-sm">
          Or press <kbd>a</kbd> to search, or double-click anywhere.
        </p>
      </div>
    </div>
  )
}
