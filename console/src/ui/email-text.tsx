/** Breaks after the @ where a line has no room, and elsewhere only if that is not enough. */
export function EmailText({ email }: { email: string }) {
  const at = email.lastIndexOf('@') + 1
  return (
    <span className="[overflow-wrap:anywhere]">
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </span>
  )
}
