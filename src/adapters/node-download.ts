/** Watches over a download that a framework sends. */

import { finished, Readable } from 'node:stream'
import type { NodeResponse } from './node-message.js'
import { breakOff, isGone, type NodeServerResponse } from './node-send.js'

/**
 * If `body` is a stream: when it fails, the connection is closed, so that neither half nor an error of the framework is
 * taken for the whole; when `res` is at its end, or has been before, `onEnd` is called, and the stream is let go, also if
 * nobody has sent it.
 */
export function watchDownload(
  body: NodeResponse['body'],
  res: NodeServerResponse,
  onEnd: () => void = () => {},
): void {
  if (!(body instanceof Readable)) return
  body.once('error', () => breakOff(res))
  const letGo = () => {
    onEnd()
    body.destroy()
  }
  // On HTTP/2 nothing tells of an end that has been before.
  if (isGone(res)) letGo()
  else finished(res, letGo)
}
