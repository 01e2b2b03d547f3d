/** VitePress's theme with system fonts. */

import { useData, useRoute } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import { onMounted, watch } from 'vue'
import './style.css'

export default {
  extends: theme,
  setup() {
    const { isDark } = useData()
    const route = useRoute()
    onMounted(() => {
      const show = () => showPictures(isDark.value)
      watch([isDark, () => route.data], show, { flush: 'post', immediate: true })
    })
  },
}

/** Pages choose pictures by the theme of the system. Here, the switch in the header decides. */
function showPictures(isDark: boolean): void {
  const dark = '(prefers-color-scheme: dark)'
  for (const source of document.querySelectorAll<HTMLSourceElement>('picture source')) {
    source.dataset['media'] ??= source.media
    source.media = source.dataset['media'].replace(
      dark,
      isDark ? '(min-width: 0)' : '(max-width: 0)',
    )
  }
}
