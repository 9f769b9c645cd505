#!/bin/sh
# The API with nothing but a shell and curl: chat, an image that is waited for, a workflow run.
set -eu
api="${ATELIER_URL:-http://127.0.0.1:8787}/api/ai-tools/v1"

# The key goes through a file: arguments of a program can be seen by others on the machine.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
umask 077
printf 'Authorization: Bearer %s\n' "$ATELIER_API_KEY" >"$folder/credential"

# call METHOD PATH [BODY [HEADER]]: prints the answer, or ends with the error.
call() {
  status=$(curl -sS -X "$1" "$api$2" -H "@$folder/credential" \
    ${3:+-H 'Content-Type: application/json' --data-binary "$3"} ${4:+-H "$4"} \
    -o "$folder/answer" -w '%{http_code}')
  case $status in
  2??) cat "$folder/answer" ;;
  *)
    cat "$folder/answer" >&2
    exit 1
    ;;
  esac
}

# field NAME: the first member of that name. Enough for identifiers; use jq for more.
field() {
  awk -v name="$1" '{
    if (match($0, "\"" name "\":\"[^\"]*\"")) print substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 5)
    else if (match($0, "\"" name "\":[0-9]+")) print substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
  }'
}

# wait_for PATH: reads until the status is terminal, as often as the server advises.
wait_for() {
  while :; do
    record=$(call GET "$1")
    status=$(printf '%s' "$record" | field status)
    echo "$1 is $status" >&2
    case $status in
    COMPLETED)
      printf '%s' "$record"
      return
      ;;
    FAILED | CANCELLED)
      printf '%s\n' "$record" >&2
      exit 1
      ;;
    esac
    sleep "$(printf '%s' "$record" | field retryAfterSeconds)"
  done
}

ask='{"model":"demo-text","messages":[{"role":"user","content":"What is 12% of 250?"}]}'
answer=$(call POST /chat/completions "$ask")
echo "chat: $(printf '%s' "$answer" | field content)"

paint='{"model":"demo-image","messages":[{"role":"user","content":"A red boat on a quiet lake"}]}'
task=$(call POST /images/generations "$paint")
task=$(wait_for "/tasks/$(printf '%s' "$task" | field taskId)")
echo "image: $(printf '%s' "$task" | field url)"

graph='{"nodes":[{"id":"name","type":"input.text","data":{}},
  {"id":"greet","type":"text.template","data":{"template":"Hello, {{name}}!"}},
  {"id":"greeting","type":"output","data":{}}],
  "connections":[{"source":"name","target":"greet","targetHandle":"name"},
  {"source":"greet","target":"greeting"}]}'
workflow=$(call POST /workflows "{\"name\":\"Greeting\",\"data\":$graph}")
id=$(printf '%s' "$workflow" | field workflowId)
# One key per piece of business: a repeated request with the same key starts no second run.
run=$(call POST "/workflows/$id/runs" '{"inputs":{"name":"world"}}' "Idempotency-Key: curl-$$-$(date +%s)")
run=$(wait_for "/workflow-runs/$(printf '%s' "$run" | field runId)")
echo "run: $(printf '%s' "$run" | field greeting)"
call DELETE "/workflows/$id" >"$folder/deleted"
