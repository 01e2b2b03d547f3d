/** The last change as a request and its response, with masked values. */

import type { Exchange } from './api.js'

interface RequestPanelProps {
  readonly exchange: Exchange
  onClose(): void
}

/** The last change as a request and its response. */
export function RequestPanel({ exchange, onClose }: RequestPanelProps) {
  const { method, path, headers, body, status, statusText, response, milliseconds } = exchange
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const sent = [[`${method} ${path}`, ...lines].join('\n'), body].filter(Boolean).join('\n\n')
  const received = [`${status} ${statusText}`.trim(), response].filter(Boolean).join('\n\n')
  return (
    <section class="request" aria-label="Request">
      <details open={matchMedia('(min-width: 700px) and (min-height: 700px)').matches}>
        <summary>
          <b>{method}</b> <span class="path">{path}</span>{' '}
          <b class={status < 400 ? 'good' : 'bad'}>{status}</b>{' '}
          <span class="hint">{milliseconds} ms</span>
        </summary>
        <div class="exchange">
          <Message title="Request" text={sent} />
          <Message title="Response" text={received} />
        </div>
      </details>
      <button type="button" class="quiet" aria-label="Close the request" onClick={onClose}>
        Close
      </button>
    </section>
  )
}

function Message({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <h3>{title}</h3>
      <textarea aria-label={title} readOnly rows={10} spellcheck={false} value={text} />
    </div>
  )
}
