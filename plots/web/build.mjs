// Bundles src/ into page.js, beside which node_modules/ stands. The same sources and lock file give
// the same bytes.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

await build({
  entryPoints: ['src/main.ts'],
  outfile: 'page.js',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2020',
  charset: 'ascii', // a C++ source carries it
  banner: { js: '/*! With Apache ECharts, Copyright 2017-2026 The Apache Software Foundation, Apache License 2.0 */' },
  legalComments: 'eof', // and the licences of what it is made of
  define: { 'process.env.NODE_ENV': '"production"' },
});

const bundle = readFileSync('page.js', 'utf8');
if (/<\/script|<!--/i.test(bundle)) {
  throw new Error('page.js would end the <script> element that holds it');
}
