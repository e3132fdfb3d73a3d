import type { DemoWords } from './demo-words.ts'

export const fr: DemoWords = {
  tripWords: ['voyage', 'vacances', 'escapade'],
  fixWords: ['corrige', 'corriger', 'répare'],
  heard: 'J’ai entendu : {text}\n',
  again: 'Reprenons là où nous en étions.\n',
  trip: {
    plan: [
      'Demander vos envies',
      'Consulter les trains et la météo',
      'Comparer les hébergements',
      'Réserver le voyage',
    ],
    thought:
      'Deux personnes, un week-end, en train. Moins de quatre heures par trajet laissent l’essentiel des deux jours. Il me faut d’abord savoir quel genre d’endroit chercher.',
    question: 'Où préférez-vous passer le week-end ?',
    sea: {
      label: 'Au bord de la mer',
      place: 'Warnemünde',
      stay: 'Auberge du Phare',
      walk: 'le long de la plage jusqu’au phare',
    },
    hills: {
      label: 'À la montagne',
      place: 'Wernigerode',
      stay: 'Maison de la Forêt',
      walk: 'jusqu’au château',
    },
    city: { label: 'En ville', place: 'Prague', stay: 'Maison du Pont', walk: 'sur le vieux pont' },
    scout: 'Trouve un hébergement calme pour une nuit, près de la gare.',
    compared: 'Sur douze hébergements, **{stay}** est le plus proche de la gare et respecte le budget.\n',
    answer: `# Un week-end : {place}

Le train met **{hours} heures**, sans changement. Il fera beau : 21° samedi, 19° et peut-être un peu de pluie dimanche.

## Ma proposition

1. Prendre le train de 07 h 46 et laisser les bagages à l’hébergement *{stay}*.
2. Se promener {walk}.
3. Dormir tard le dimanche et manger avant le retour.

| Quand | Quoi | Prix |
| --- | --- | ---: |
| Samedi | Train aller | 45 € |
| Samedi | Une nuit : {stay} | 96 € |
| Dimanche | Train retour | 45 € |

Pour l’agenda :

\`\`\`ics
BEGIN:VEVENT
DTSTART:20270515T074600
SUMMARY:Train pour {place}
END:VEVENT
\`\`\`
`,
    confirm: 'Réserver les trains et {stay} pour {price} € ?',
    consequence: 'Les billets ne sont pas remboursables.',
    booked: '## Réservé\n\nLe voyage est réservé : {place}. Le numéro est **DEMO-4711**. Bon voyage !\n',
    kept: 'Rien n’est réservé. Le plan reste ici, et le prix est valable jusqu’à demain.\n',
  },
  fix: {
    plan: ['Lancer les tests', 'Trouver la cause', 'Modifier le code', 'Relancer les tests'],
    thought:
      'Le test attend 19,99 et reçoit 20. On dirait un arrondi à l’unité au lieu du centime. Je regarde la fonction et qui l’appelle.',
    found: `## Ce qui ne va pas

\`total()\` arrondit à l’unité, le test veut des centimes :

\`\`\`ts
return Math.round(lines.reduce((sum, { price, count }) => sum + price * count, 0))
\`\`\`

Il y a deux façons de corriger, et sur de longues factures elles diffèrent d’un centime.
`,
    question: 'Où faut-il arrondir ?',
    atEnd: 'Une fois, à la fin',
    perLine: 'À chaque ligne',
    review: 'Regarde la modification dans src/invoice.ts et dis si elle est sûre.',
    reviewed: 'La modification est petite et touche une seule fonction. Rien d’autre ne l’appelle.\n',
    fixed: `# Corrigé

On arrondit ainsi : *{where}*.

\`\`\`ts
{rounding}
\`\`\`

| Tests | Avant | Après |
| --- | ---: | ---: |
| réussis | 41 | 42 |
| échoués | 1 | 0 |

- Une ligne a été modifiée, dans \`src/invoice.ts\`.
- Un relecteur l’a regardée.
`,
    confirm: 'Pousser la correction sur la branche principale ?',
    consequence: 'Elle est déployée aussitôt et ne peut pas être annulée.',
    pushed: 'Poussé : `4f2c9e1`. Tous les tests passent.\n',
    kept: 'Rien n’a été poussé. La modification est dans votre répertoire de travail.\n',
  },
  long: {
    plan: 'Écrire un long rapport',
    title: 'Un long rapport',
    section: 'Section',
    text: 'Ce texte est long exprès, pour montrer comment se comporte un flux qui ne s’arrête pas. Fermez la fenêtre, revenez plus tard, et reprenez la lecture au mot même où vous l’aviez laissée.',
  },
}
