/**
 * The part of an editor that is typed into; null while the editor is loading. The host itself would
 * pass the focus on to its scroller, where keys do nothing.
 */
export const editorText = (host: Element): HTMLElement | null =>
  host.shadowRoot?.querySelector<HTMLElement>('[contenteditable]') ?? null
