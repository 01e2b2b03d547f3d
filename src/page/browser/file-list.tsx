/** The files of an item: downloads, uploads and removals. */

import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import type { FileDetails, Item } from '../../index.js'
import { ConfirmButton } from './confirm-button.js'
import { formatSize } from './format.js'
import { useSession, vaultPath } from './session.js'

/** The files of an item. */
export function FileList({ item }: { readonly item: Item }) {
  const { settings } = useSession()
  const canChange = !settings.isReadOnly && settings.hasExtensions
  if (item.files.length === 0 && !canChange) return null
  return (
    <div class="group">
      <h3>Files</h3>
      {item.files.length > 0 && (
        <ul class="files">
          {item.files.map((file) => (
            <FileRow key={file.id} {...{ file, item, canChange }} />
          ))}
        </ul>
      )}
      {canChange && <Upload item={item} />}
    </div>
  )
}

interface FileRowProps {
  readonly file: FileDetails
  readonly item: Item
  readonly canChange: boolean
}

/** One file. Its content is only read when it is saved. */
function FileRow({ file, item, canChange }: FileRowProps) {
  const { api, announce, change } = useSession()
  const path = vaultPath(item.vault.id, item.id, `/files/${file.id}`)
  const download = async (): Promise<void> => {
    try {
      saveBlob(await api.download(`${path}/content`), file.name)
      announce(`Downloaded ${file.name}.`)
    } catch (error) {
      announce(error instanceof Error ? error.message : 'The download failed.', true)
    }
  }
  const remove = async (): Promise<void> => {
    if (await change('DELETE', path, { ifVersion: item.version })) announce('Removed.')
  }
  return (
    <li>
      <span class="lines">
        <b dir="auto">{file.name}</b>
        <small>{formatSize(file.size)}</small>
      </span>
      <button type="button" class="quiet" aria-label={`Download ${file.name}`} onClick={download}>
        Download
      </button>
      {canChange && (
        <ConfirmButton
          text="Remove"
          label={`Remove ${file.name}`}
          question={`Remove “${file.name}” permanently?`}
          onConfirm={remove}
        />
      )}
    </li>
  )
}

/** The form that adds a file. */
function Upload({ item }: { readonly item: Item }) {
  const { announce, change } = useSession()
  const [isBusy, setBusy] = useState(false)
  const upload = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    const file = new FormData(form).get('file')
    if (!(file instanceof File) || file.name === '') return
    setBusy(true)
    const path = vaultPath(item.vault.id, item.id, `/files?name=${encodeURIComponent(file.name)}`)
    const answer = await change('POST', path, { content: file, ifVersion: item.version })
    setBusy(false)
    if (answer === undefined) return
    form.reset()
    announce(`Uploaded ${file.name}.`)
  }
  return (
    <form class="upload" onSubmit={upload}>
      <input type="file" name="file" aria-label="File to upload" required />
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Uploading…' : 'Upload'}
      </button>
    </form>
  )
}

/** Saves bytes as a file. The type of the blob is not used, so nothing is opened. */
function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
