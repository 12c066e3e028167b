/*! with uPlot (c) Leon Sorokin and three.js (c) three.js authors, both under the MIT licence */class au extends Error{constructor(e,t){super(t),this.status=e}}function gn(i){return Kf(i,{})}function Wp(i,e){return Kf(i,{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)})}async function Kf(i,e){let t;try{t=await fetch(i,e)}catch{throw new au(0,"The server does not answer. Is megascale serve still running?")}if(t.ok)return await t.json();const n=await t.text();let s=n;try{s=JSON.parse(n).error}catch{}throw new au(t.status,s)}function A(i,e={},...t){const[n,...s]=i.split("."),r=document.createElement(n||"div");s.length&&(r.className=s.join(" "));for(const[o,a]of Object.entries(e))a===void 0||a===!1||(typeof a=="function"?r.addEventListener(o.slice(2),a):r.setAttribute(o,a===!0?"":String(a)));for(const o of t)o&&r.append(o);return r}function Xe(i,...e){i.replaceChildren(...e.filter(Boolean))}function wn(i,e){return A("label.field",{},A("span",{},i),e)}function Jn(i,e,t){const n=A("select",{onchange:()=>t(n.value)});let s=null;for(const r of i){const o=A("option",{value:r.value,selected:r.value===e},r.label);if(!r.group){n.append(o);continue}s?.getAttribute("label")!==r.group&&(s=A("optgroup",{label:r.group}),n.append(s)),s.append(o)}return n}function Zt(i,e,t="empty"){return A(`div.notice.${t}`,{role:t==="error"?"alert":"status"},A("h2",{},i),A("p",{},e))}function vr(i){const e=document.getElementById("live");e&&(e.textContent=i)}const Zf="megascale-theme",Vl=new Set;function $p(){const i=localStorage.getItem(Zf);i&&(document.documentElement.dataset.theme=i),matchMedia("(prefers-color-scheme: dark)").addEventListener("change",ed)}function Jf(){const i=document.documentElement.dataset.theme;return i?i==="dark":matchMedia("(prefers-color-scheme: dark)").matches}function Qf(){const i=Jf()?"light":"dark";document.documentElement.dataset.theme=i,localStorage.setItem(Zf,i),ed()}function ed(){for(const i of Vl)i()}function oo(i){return Vl.add(i),()=>Vl.delete(i)}function fc(i){return i.match(/[0-9a-f]{2}/gi).map(e=>Number.parseInt(e,16))}function Lt(i){return getComputedStyle(document.documentElement).getPropertyValue(i).trim()}const Xp=[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"]];function fi(i,e=3){const t=Math.abs(i);for(const[n,s]of Xp)if(t>=n)return`${ys(i/n,e)} ${s}`;return t!==0&&t<.001?i.toExponential(e-1):ys(i,e)}function Gl(i){return Math.abs(i)<1e5?i.toFixed(0):fi(i,4)}function ys(i,e){const t=Math.abs(i),n=t>=1?Math.max(0,e-1-Math.floor(Math.log10(t))):e;return i.toFixed(Math.min(n,6))}function jt(i){const e=Math.abs(i);return e===0?"0 s":e<1e-6?`${ys(i*1e9,3)} ns`:e<.001?`${ys(i*1e6,3)} µs`:e<1?`${ys(i*1e3,3)} ms`:e<120?`${ys(i,3)} s`:vs(i)}function vs(i){const e=[[86400,"d"],[3600,"h"],[60,"min"],[1,"s"]],t=[];let n=Math.round(i);for(const[s,r]of e)if((n>=s||t.length&&t.length<2)&&(t.push(`${Math.floor(n/s)} ${r}`),n%=s),t.length===2)break;return t.join(" ")||"0 s"}function ln(i){const e=["B","KiB","MiB","GiB","TiB"];let t=0;for(;Math.abs(i)>=1024&&t+1<e.length;)i/=1024,t+=1;return`${t===0?i.toFixed(0):ys(i,3)} ${e[t]}`}function _n(i,e=1){return`${(100*i).toFixed(e)} %`}function Ui(i,e){switch(e){case"seconds":return jt(i);case"ratio":return _n(i);case"bytes":return ln(i);default:return fi(i,4)+(e&&e!=="nats"?` ${e}`:"")}}const Yp=168,lu=10;function kt(i,e,t=""){return A("div.tile",{},A("span.label",{},i),A("span.value",{title:e},e),A("span.detail",{title:t},t))}function qp(i,e){const t=Math.max(1,Math.floor((e+lu)/(Yp+lu)));return Math.max(1,Math.ceil(i/Math.ceil(i/t)))}class fa{element;observer=new ResizeObserver(()=>this.arrange());constructor(e){this.element=A("div.tiles",{role:"group","aria-label":e}),this.observer.observe(this.element)}show(e){Xe(this.element,...e),this.arrange()}destroy(){this.observer.disconnect()}arrange(){this.element.style.gridTemplateColumns=`repeat(${qp(this.element.childElementCount,this.element.clientWidth)}, minmax(0, 1fr))`}}const Ga={stepping:"new steps",checkpoint_stall:"waiting for checkpoints",detection:"detecting faults",checks:"self-checks",restart:"starting and loading",repeated:"repeating lost steps",idle:"waiting"},jp=["member","spare"];function Kp(i,e){const t=A("div"),n=new fa("Where the job stands");i.append(t);let s=!1,r=0,o="",a="";function l(m,d,y){return A("div.scroll",{tabindex:0,role:"region","aria-label":m},A("table",{},A("thead",{},A("tr",{},...d.map(M=>A("th",{},M)))),A("tbody",{},...y)))}function c(...m){return A("tr",{},...m.map(d=>typeof d=="string"?A("td",{},d):d.tagName==="TD"?d:A("td",{},d)))}function u(m){const d=A("input",{size:44,maxlength:400,placeholder:"for the job's record"}),y=A("p.failure",{role:"alert",hidden:!0}),M=A("button.danger",{},`Evict ${m}`),w=A("dialog",{"aria-label":`Evict ${m}`},A("h2",{},`Evict ${m}?`),A("p",{},"The host gets no ranks of this job any more. If it has ranks now, the job goes back to its newest checkpoint and continues on other hosts."),A("p.muted",{},"megascale evict HOST --allow takes this back."),A("label.field",{},A("span",{},"Reason"),d),y,A("div.choices",{},A("button",{onclick:()=>w.close()},"Cancel"),M));M.addEventListener("click",()=>{M.disabled=!0,Wp(`/api/runs/${e.run.id}/evict`,{host:m,why:d.value}).then(()=>{a=`The driver was told to evict ${m}.`,vr(a),o="",w.close(),x()}).catch(V=>{y.hidden=!1,y.textContent=V.message,M.disabled=!1})}),w.addEventListener("close",()=>w.remove()),document.body.append(w),w.showModal()}function h(m,d){const[y,...M]=m.state.split(": "),w=d.incidents.filter(V=>V.host===m.host).length;return c(A("td",{},A("strong",{},m.host),d.status.driver_host===m.host?A("span.muted",{}," driver"):null),A("span",{},A(`span.state.${jp.includes(y)?"live":"lost"}`,{},y),M.length?` ${M.join(": ")}`:null),String(m.cores||"–"),String(w),...d.can_evict?[y!=="blocked"?A("button",{onclick:()=>u(m.host)},"Evict …"):""]:[])}function f(m){const{status:d}=m,y=d.exit_code===void 0?"":d.exit_code===0?"ended":"failed",M=y||(d.driver_lives?d.phase:"driver is gone"),w=y==="failed"?`exit code ${d.exit_code}`:!y&&!d.driver_lives?`last seen ${vs(d.silent_seconds)} ago`:`attempt ${d.attempt}`,V=d.hosts.filter(T=>T.state==="member").length;n.show([kt("State",M,w),kt("Effective training",_n(d.effective),`of ${vs(d.seconds.wall)}`),kt("Steps",d.steps_done.toLocaleString("en"),d.checkpoint!==void 0?`checkpoint at ${d.checkpoint.toLocaleString("en")}`:"no checkpoint yet"),kt("Incidents",String(m.incidents.length),`${m.incidents.filter(T=>T.open).length} open`),kt("Hosts",String(d.hosts.length),`${V} with ranks`)])}function p(m){const{seconds:d,effective:y}=m.status,M=A("div.bar.tall",{role:"img","aria-label":`effective training ${_n(y)}`});return Object.keys(Ga).forEach((w,V)=>{const T=A(`span.memory-${V}`,{title:`${Ga[w]}: ${vs(d[w]??0)}`});T.style.width=`${100*(d[w]??0)/(d.wall||1)}%`,M.append(T)}),[A("h2",{},"Where the time went"),M,A("div.legend",{},...Object.entries(Ga).map(([w,V],T)=>A("span",{},A(`i.memory-${T}`),`${V} ${vs(d[w]??0)}`)))]}function _(m){f(m),Xe(t,n.element,m.status.end?Zt("The job has failed",m.status.end,"error"):null,a?A("p.fine",{},a):null,...p(m),A("h2",{},"Hosts"),l("Hosts",m.can_evict?["Host","State","Cores","Incidents","Order"]:["Host","State","Cores","Incidents"],m.status.hosts.map(d=>h(d,m))),m.can_evict?null:A("p.muted",{},"To evict hosts from this page, give megascale serve the options --driver and --operator-cert."),A("h2",{},"Incidents"),m.incidents.length===0?A("p.fine",{},"None so far."):l("Incidents",["Number","What","Rule","Host","Step","Evidence","Action","Outcome"],m.incidents.slice().reverse().map(d=>c(String(d.number),d.what,A("code",{},d.rule),d.host,d.step>=0?String(d.step):"–",A("td.long",{},d.evidence),d.action,d.open?"open":`${d.outcome}${d.seconds!==void 0?` (${vs(d.seconds)})`:""}`))),A("h2",{},"Attempts"),l("Attempts",["Number","Resumed at step","Steps done","Outcome"],m.attempts.slice().reverse().map(d=>c(String(d.number),d.resumed_step>=0?String(d.resumed_step):"–",d.steps_done>=0?String(d.steps_done):"–",d.runs?"runs":d.outcome))))}async function x(){window.clearTimeout(r);try{const m=await gn(`/api/runs/${e.run.id}/job`),d=JSON.stringify(m);!s&&d!==o&&!(t.contains(document.activeElement)&&o!==""&&Zp(o,d))&&(o=d,_(m))}catch(m){const d=m;o="",s||Xe(t,Zt(d.status===404?"No driver":"The record cannot be read",d.message,d.status===404?"empty":"error"))}s||(r=window.setTimeout(()=>void x(),3e3))}return x(),{leave(){s=!0,window.clearTimeout(r),n.destroy()}}}function Zp(i,e){const t=n=>{const s=JSON.parse(n),{phase:r,driver_lives:o,attempt:a,hosts:l}=s.status;return JSON.stringify([r,o,a,l,s.incidents,s.attempts])};return t(i)===t(e)}const td=.2,Jp=[37,99,201],Qp=[204,62,28],em=[226,229,235],tm=[58,64,75],Wa=64;function dc(){const i=Jf()?tm:em,e=Array.from({length:2*Wa+1},(t,n)=>{const s=n/Wa-1,r=s<0?Jp:Qp,[o,a,l]=i.map((c,u)=>Math.round(c+(r[u]-c)*Math.abs(s)**.8));return{css:`rgb(${o} ${a} ${l})`,rgb:[o,a,l],is_light:.299*o+.587*a+.114*l>140}});return t=>e[Math.round((1+Math.max(-1,Math.min(1,t/td)))*Wa)]}const vo=[[44,62,140],[33,118,152],[46,160,122],[150,190,70],[240,205,60]];function nm(i){const e=Math.max(0,Math.min(1,i))*(vo.length-1),t=Math.min(vo.length-2,Math.floor(e));return vo[t].map((n,s)=>n+(vo[t+1][s]-n)*(e-t))}const im={usual:[92,128,178],slow:[224,130,36],stuck:[214,40,40],waits:[216,178,70],unknown:[148,156,170]};function cu(i){return im[i]}const uu=["#4c7fd6","#3f9e7b","#c98a2b","#8f66c4","#c2587f","#4aa3b5","#8a9a3b","#b5643c","#6d78a8","#7d9b6a"];function nd(i){return uu[i%uu.length]}function hu(i){return fc(nd(i))}const sm={exposed_comm:"--idle-exposed",bubble:"--idle-bubble",data_wait:"--idle-data"};/**
 * @license
 * Copyright 2010-2024 Three.js Authors
 * SPDX-License-Identifier: MIT
 */const pc="164",Ws={ROTATE:0,DOLLY:1,PAN:2},$s={ROTATE:0,PAN:1,DOLLY_PAN:2,DOLLY_ROTATE:3},rm=0,fu=1,om=2,id=1,am=2,Di=3,is=0,Un=1,ci=2,ts=0,pr=1,du=2,pu=3,mu=4,lm=5,xs=100,cm=101,um=102,hm=103,fm=104,dm=200,pm=201,mm=202,gm=203,Wl=204,$l=205,_m=206,vm=207,xm=208,Mm=209,Sm=210,ym=211,Em=212,bm=213,wm=214,Tm=0,Am=1,Rm=2,ta=3,Cm=4,Pm=5,Lm=6,Dm=7,sd=0,Um=1,Im=2,ns=0,Nm=1,Om=2,Fm=3,km=4,Bm=5,zm=6,Hm=7,rd=300,xr=301,Mr=302,Xl=303,Yl=304,da=306,ql=1e3,Es=1001,jl=1002,Ln=1003,Vm=1004,xo=1005,ui=1006,$a=1007,bs=1008,ss=1009,Gm=1010,Wm=1011,od=1012,ad=1013,Sr=1014,es=1015,pa=1016,ld=1017,cd=1018,ao=1020,$m=35902,Xm=1021,Ym=1022,yi=1023,qm=1024,jm=1025,mr=1026,to=1027,Km=1028,ud=1029,Zm=1030,hd=1031,fd=1033,Xa=33776,Ya=33777,qa=33778,ja=33779,gu=35840,_u=35841,vu=35842,xu=35843,Mu=36196,Su=37492,yu=37496,Eu=37808,bu=37809,wu=37810,Tu=37811,Au=37812,Ru=37813,Cu=37814,Pu=37815,Lu=37816,Du=37817,Uu=37818,Iu=37819,Nu=37820,Ou=37821,Ka=36492,Fu=36494,ku=36495,Jm=36283,Bu=36284,zu=36285,Hu=36286,Qm=3200,eg=3201,tg=0,ng=1,Qi="",xi="srgb",ki="srgb-linear",mc="display-p3",ma="display-p3-linear",na="linear",Pt="srgb",ia="rec709",sa="p3",Xs=7680,Vu=519,ig=512,sg=513,rg=514,dd=515,og=516,ag=517,lg=518,cg=519,Gu=35044,ug=35048,Wu="300 es",Ii=2e3,ra=2001;class Ps{addEventListener(e,t){this._listeners===void 0&&(this._listeners={});const n=this._listeners;n[e]===void 0&&(n[e]=[]),n[e].indexOf(t)===-1&&n[e].push(t)}hasEventListener(e,t){if(this._listeners===void 0)return!1;const n=this._listeners;return n[e]!==void 0&&n[e].indexOf(t)!==-1}removeEventListener(e,t){if(this._listeners===void 0)return;const s=this._listeners[e];if(s!==void 0){const r=s.indexOf(t);r!==-1&&s.splice(r,1)}}dispatchEvent(e){if(this._listeners===void 0)return;const n=this._listeners[e.type];if(n!==void 0){e.target=this;const s=n.slice(0);for(let r=0,o=s.length;r<o;r++)s[r].call(this,e);e.target=null}}}const pn=["00","01","02","03","04","05","06","07","08","09","0a","0b","0c","0d","0e","0f","10","11","12","13","14","15","16","17","18","19","1a","1b","1c","1d","1e","1f","20","21","22","23","24","25","26","27","28","29","2a","2b","2c","2d","2e","2f","30","31","32","33","34","35","36","37","38","39","3a","3b","3c","3d","3e","3f","40","41","42","43","44","45","46","47","48","49","4a","4b","4c","4d","4e","4f","50","51","52","53","54","55","56","57","58","59","5a","5b","5c","5d","5e","5f","60","61","62","63","64","65","66","67","68","69","6a","6b","6c","6d","6e","6f","70","71","72","73","74","75","76","77","78","79","7a","7b","7c","7d","7e","7f","80","81","82","83","84","85","86","87","88","89","8a","8b","8c","8d","8e","8f","90","91","92","93","94","95","96","97","98","99","9a","9b","9c","9d","9e","9f","a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","aa","ab","ac","ad","ae","af","b0","b1","b2","b3","b4","b5","b6","b7","b8","b9","ba","bb","bc","bd","be","bf","c0","c1","c2","c3","c4","c5","c6","c7","c8","c9","ca","cb","cc","cd","ce","cf","d0","d1","d2","d3","d4","d5","d6","d7","d8","d9","da","db","dc","dd","de","df","e0","e1","e2","e3","e4","e5","e6","e7","e8","e9","ea","eb","ec","ed","ee","ef","f0","f1","f2","f3","f4","f5","f6","f7","f8","f9","fa","fb","fc","fd","fe","ff"],jo=Math.PI/180,Kl=180/Math.PI;function lo(){const i=Math.random()*4294967295|0,e=Math.random()*4294967295|0,t=Math.random()*4294967295|0,n=Math.random()*4294967295|0;return(pn[i&255]+pn[i>>8&255]+pn[i>>16&255]+pn[i>>24&255]+"-"+pn[e&255]+pn[e>>8&255]+"-"+pn[e>>16&15|64]+pn[e>>24&255]+"-"+pn[t&63|128]+pn[t>>8&255]+"-"+pn[t>>16&255]+pn[t>>24&255]+pn[n&255]+pn[n>>8&255]+pn[n>>16&255]+pn[n>>24&255]).toLowerCase()}function hn(i,e,t){return Math.max(e,Math.min(t,i))}function hg(i,e){return(i%e+e)%e}function Za(i,e,t){return(1-t)*i+t*e}function Br(i,e){switch(e.constructor){case Float32Array:return i;case Uint32Array:return i/4294967295;case Uint16Array:return i/65535;case Uint8Array:return i/255;case Int32Array:return Math.max(i/2147483647,-1);case Int16Array:return Math.max(i/32767,-1);case Int8Array:return Math.max(i/127,-1);default:throw new Error("Invalid component type.")}}function Cn(i,e){switch(e.constructor){case Float32Array:return i;case Uint32Array:return Math.round(i*4294967295);case Uint16Array:return Math.round(i*65535);case Uint8Array:return Math.round(i*255);case Int32Array:return Math.round(i*2147483647);case Int16Array:return Math.round(i*32767);case Int8Array:return Math.round(i*127);default:throw new Error("Invalid component type.")}}const fg={DEG2RAD:jo};class ze{constructor(e=0,t=0){ze.prototype.isVector2=!0,this.x=e,this.y=t}get width(){return this.x}set width(e){this.x=e}get height(){return this.y}set height(e){this.y=e}set(e,t){return this.x=e,this.y=t,this}setScalar(e){return this.x=e,this.y=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y)}copy(e){return this.x=e.x,this.y=e.y,this}add(e){return this.x+=e.x,this.y+=e.y,this}addScalar(e){return this.x+=e,this.y+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this}subScalar(e){return this.x-=e,this.y-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this}multiply(e){return this.x*=e.x,this.y*=e.y,this}multiplyScalar(e){return this.x*=e,this.y*=e,this}divide(e){return this.x/=e.x,this.y/=e.y,this}divideScalar(e){return this.multiplyScalar(1/e)}applyMatrix3(e){const t=this.x,n=this.y,s=e.elements;return this.x=s[0]*t+s[3]*n+s[6],this.y=s[1]*t+s[4]*n+s[7],this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this}negate(){return this.x=-this.x,this.y=-this.y,this}dot(e){return this.x*e.x+this.y*e.y}cross(e){return this.x*e.y-this.y*e.x}lengthSq(){return this.x*this.x+this.y*this.y}length(){return Math.sqrt(this.x*this.x+this.y*this.y)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)}normalize(){return this.divideScalar(this.length()||1)}angle(){return Math.atan2(-this.y,-this.x)+Math.PI}angleTo(e){const t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;const n=this.dot(e)/t;return Math.acos(hn(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){const t=this.x-e.x,n=this.y-e.y;return t*t+n*n}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this}equals(e){return e.x===this.x&&e.y===this.y}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this}rotateAround(e,t){const n=Math.cos(t),s=Math.sin(t),r=this.x-e.x,o=this.y-e.y;return this.x=r*n-o*s+e.x,this.y=r*s+o*n+e.y,this}random(){return this.x=Math.random(),this.y=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y}}class rt{constructor(e,t,n,s,r,o,a,l,c){rt.prototype.isMatrix3=!0,this.elements=[1,0,0,0,1,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c)}set(e,t,n,s,r,o,a,l,c){const u=this.elements;return u[0]=e,u[1]=s,u[2]=a,u[3]=t,u[4]=r,u[5]=l,u[6]=n,u[7]=o,u[8]=c,this}identity(){return this.set(1,0,0,0,1,0,0,0,1),this}copy(e){const t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],this}extractBasis(e,t,n){return e.setFromMatrix3Column(this,0),t.setFromMatrix3Column(this,1),n.setFromMatrix3Column(this,2),this}setFromMatrix4(e){const t=e.elements;return this.set(t[0],t[4],t[8],t[1],t[5],t[9],t[2],t[6],t[10]),this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){const n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[3],l=n[6],c=n[1],u=n[4],h=n[7],f=n[2],p=n[5],_=n[8],x=s[0],m=s[3],d=s[6],y=s[1],M=s[4],w=s[7],V=s[2],T=s[5],C=s[8];return r[0]=o*x+a*y+l*V,r[3]=o*m+a*M+l*T,r[6]=o*d+a*w+l*C,r[1]=c*x+u*y+h*V,r[4]=c*m+u*M+h*T,r[7]=c*d+u*w+h*C,r[2]=f*x+p*y+_*V,r[5]=f*m+p*M+_*T,r[8]=f*d+p*w+_*C,this}multiplyScalar(e){const t=this.elements;return t[0]*=e,t[3]*=e,t[6]*=e,t[1]*=e,t[4]*=e,t[7]*=e,t[2]*=e,t[5]*=e,t[8]*=e,this}determinant(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],u=e[8];return t*o*u-t*a*c-n*r*u+n*a*l+s*r*c-s*o*l}invert(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],u=e[8],h=u*o-a*c,f=a*l-u*r,p=c*r-o*l,_=t*h+n*f+s*p;if(_===0)return this.set(0,0,0,0,0,0,0,0,0);const x=1/_;return e[0]=h*x,e[1]=(s*c-u*n)*x,e[2]=(a*n-s*o)*x,e[3]=f*x,e[4]=(u*t-s*l)*x,e[5]=(s*r-a*t)*x,e[6]=p*x,e[7]=(n*l-c*t)*x,e[8]=(o*t-n*r)*x,this}transpose(){let e;const t=this.elements;return e=t[1],t[1]=t[3],t[3]=e,e=t[2],t[2]=t[6],t[6]=e,e=t[5],t[5]=t[7],t[7]=e,this}getNormalMatrix(e){return this.setFromMatrix4(e).invert().transpose()}transposeIntoArray(e){const t=this.elements;return e[0]=t[0],e[1]=t[3],e[2]=t[6],e[3]=t[1],e[4]=t[4],e[5]=t[7],e[6]=t[2],e[7]=t[5],e[8]=t[8],this}setUvTransform(e,t,n,s,r,o,a){const l=Math.cos(r),c=Math.sin(r);return this.set(n*l,n*c,-n*(l*o+c*a)+o+e,-s*c,s*l,-s*(-c*o+l*a)+a+t,0,0,1),this}scale(e,t){return this.premultiply(Ja.makeScale(e,t)),this}rotate(e){return this.premultiply(Ja.makeRotation(-e)),this}translate(e,t){return this.premultiply(Ja.makeTranslation(e,t)),this}makeTranslation(e,t){return e.isVector2?this.set(1,0,e.x,0,1,e.y,0,0,1):this.set(1,0,e,0,1,t,0,0,1),this}makeRotation(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,n,t,0,0,0,1),this}makeScale(e,t){return this.set(e,0,0,0,t,0,0,0,1),this}equals(e){const t=this.elements,n=e.elements;for(let s=0;s<9;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<9;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){const n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e}clone(){return new this.constructor().fromArray(this.elements)}}const Ja=new rt;function pd(i){for(let e=i.length-1;e>=0;--e)if(i[e]>=65535)return!0;return!1}function oa(i){return document.createElementNS("http://www.w3.org/1999/xhtml",i)}function dg(){const i=oa("canvas");return i.style.display="block",i}const $u={};function pg(i){i in $u||($u[i]=!0,console.warn(i))}const Xu=new rt().set(.8224621,.177538,0,.0331941,.9668058,0,.0170827,.0723974,.9105199),Yu=new rt().set(1.2249401,-.2249404,0,-.0420569,1.0420571,0,-.0196376,-.0786361,1.0982735),Mo={[ki]:{transfer:na,primaries:ia,toReference:i=>i,fromReference:i=>i},[xi]:{transfer:Pt,primaries:ia,toReference:i=>i.convertSRGBToLinear(),fromReference:i=>i.convertLinearToSRGB()},[ma]:{transfer:na,primaries:sa,toReference:i=>i.applyMatrix3(Yu),fromReference:i=>i.applyMatrix3(Xu)},[mc]:{transfer:Pt,primaries:sa,toReference:i=>i.convertSRGBToLinear().applyMatrix3(Yu),fromReference:i=>i.applyMatrix3(Xu).convertLinearToSRGB()}},mg=new Set([ki,ma]),vt={enabled:!0,_workingColorSpace:ki,get workingColorSpace(){return this._workingColorSpace},set workingColorSpace(i){if(!mg.has(i))throw new Error(`Unsupported working color space, "${i}".`);this._workingColorSpace=i},convert:function(i,e,t){if(this.enabled===!1||e===t||!e||!t)return i;const n=Mo[e].toReference,s=Mo[t].fromReference;return s(n(i))},fromWorkingColorSpace:function(i,e){return this.convert(i,this._workingColorSpace,e)},toWorkingColorSpace:function(i,e){return this.convert(i,e,this._workingColorSpace)},getPrimaries:function(i){return Mo[i].primaries},getTransfer:function(i){return i===Qi?na:Mo[i].transfer}};function gr(i){return i<.04045?i*.0773993808:Math.pow(i*.9478672986+.0521327014,2.4)}function Qa(i){return i<.0031308?i*12.92:1.055*Math.pow(i,.41666)-.055}let Ys;class gg{static getDataURL(e){if(/^data:/i.test(e.src)||typeof HTMLCanvasElement>"u")return e.src;let t;if(e instanceof HTMLCanvasElement)t=e;else{Ys===void 0&&(Ys=oa("canvas")),Ys.width=e.width,Ys.height=e.height;const n=Ys.getContext("2d");e instanceof ImageData?n.putImageData(e,0,0):n.drawImage(e,0,0,e.width,e.height),t=Ys}return t.width>2048||t.height>2048?(console.warn("THREE.ImageUtils.getDataURL: Image converted to jpg for performance reasons",e),t.toDataURL("image/jpeg",.6)):t.toDataURL("image/png")}static sRGBToLinear(e){if(typeof HTMLImageElement<"u"&&e instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&e instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&e instanceof ImageBitmap){const t=oa("canvas");t.width=e.width,t.height=e.height;const n=t.getContext("2d");n.drawImage(e,0,0,e.width,e.height);const s=n.getImageData(0,0,e.width,e.height),r=s.data;for(let o=0;o<r.length;o++)r[o]=gr(r[o]/255)*255;return n.putImageData(s,0,0),t}else if(e.data){const t=e.data.slice(0);for(let n=0;n<t.length;n++)t instanceof Uint8Array||t instanceof Uint8ClampedArray?t[n]=Math.floor(gr(t[n]/255)*255):t[n]=gr(t[n]);return{data:t,width:e.width,height:e.height}}else return console.warn("THREE.ImageUtils.sRGBToLinear(): Unsupported image type. No color space conversion applied."),e}}let _g=0;class md{constructor(e=null){this.isSource=!0,Object.defineProperty(this,"id",{value:_g++}),this.uuid=lo(),this.data=e,this.dataReady=!0,this.version=0}set needsUpdate(e){e===!0&&this.version++}toJSON(e){const t=e===void 0||typeof e=="string";if(!t&&e.images[this.uuid]!==void 0)return e.images[this.uuid];const n={uuid:this.uuid,url:""},s=this.data;if(s!==null){let r;if(Array.isArray(s)){r=[];for(let o=0,a=s.length;o<a;o++)s[o].isDataTexture?r.push(el(s[o].image)):r.push(el(s[o]))}else r=el(s);n.url=r}return t||(e.images[this.uuid]=n),n}}function el(i){return typeof HTMLImageElement<"u"&&i instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&i instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&i instanceof ImageBitmap?gg.getDataURL(i):i.data?{data:Array.from(i.data),width:i.width,height:i.height,type:i.data.constructor.name}:(console.warn("THREE.Texture: Unable to serialize Texture."),{})}let vg=0;class Tn extends Ps{constructor(e=Tn.DEFAULT_IMAGE,t=Tn.DEFAULT_MAPPING,n=Es,s=Es,r=ui,o=bs,a=yi,l=ss,c=Tn.DEFAULT_ANISOTROPY,u=Qi){super(),this.isTexture=!0,Object.defineProperty(this,"id",{value:vg++}),this.uuid=lo(),this.name="",this.source=new md(e),this.mipmaps=[],this.mapping=t,this.channel=0,this.wrapS=n,this.wrapT=s,this.magFilter=r,this.minFilter=o,this.anisotropy=c,this.format=a,this.internalFormat=null,this.type=l,this.offset=new ze(0,0),this.repeat=new ze(1,1),this.center=new ze(0,0),this.rotation=0,this.matrixAutoUpdate=!0,this.matrix=new rt,this.generateMipmaps=!0,this.premultiplyAlpha=!1,this.flipY=!0,this.unpackAlignment=4,this.colorSpace=u,this.userData={},this.version=0,this.onUpdate=null,this.isRenderTargetTexture=!1,this.pmremVersion=0}get image(){return this.source.data}set image(e=null){this.source.data=e}updateMatrix(){this.matrix.setUvTransform(this.offset.x,this.offset.y,this.repeat.x,this.repeat.y,this.rotation,this.center.x,this.center.y)}clone(){return new this.constructor().copy(this)}copy(e){return this.name=e.name,this.source=e.source,this.mipmaps=e.mipmaps.slice(0),this.mapping=e.mapping,this.channel=e.channel,this.wrapS=e.wrapS,this.wrapT=e.wrapT,this.magFilter=e.magFilter,this.minFilter=e.minFilter,this.anisotropy=e.anisotropy,this.format=e.format,this.internalFormat=e.internalFormat,this.type=e.type,this.offset.copy(e.offset),this.repeat.copy(e.repeat),this.center.copy(e.center),this.rotation=e.rotation,this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrix.copy(e.matrix),this.generateMipmaps=e.generateMipmaps,this.premultiplyAlpha=e.premultiplyAlpha,this.flipY=e.flipY,this.unpackAlignment=e.unpackAlignment,this.colorSpace=e.colorSpace,this.userData=JSON.parse(JSON.stringify(e.userData)),this.needsUpdate=!0,this}toJSON(e){const t=e===void 0||typeof e=="string";if(!t&&e.textures[this.uuid]!==void 0)return e.textures[this.uuid];const n={metadata:{version:4.6,type:"Texture",generator:"Texture.toJSON"},uuid:this.uuid,name:this.name,image:this.source.toJSON(e).uuid,mapping:this.mapping,channel:this.channel,repeat:[this.repeat.x,this.repeat.y],offset:[this.offset.x,this.offset.y],center:[this.center.x,this.center.y],rotation:this.rotation,wrap:[this.wrapS,this.wrapT],format:this.format,internalFormat:this.internalFormat,type:this.type,colorSpace:this.colorSpace,minFilter:this.minFilter,magFilter:this.magFilter,anisotropy:this.anisotropy,flipY:this.flipY,generateMipmaps:this.generateMipmaps,premultiplyAlpha:this.premultiplyAlpha,unpackAlignment:this.unpackAlignment};return Object.keys(this.userData).length>0&&(n.userData=this.userData),t||(e.textures[this.uuid]=n),n}dispose(){this.dispatchEvent({type:"dispose"})}transformUv(e){if(this.mapping!==rd)return e;if(e.applyMatrix3(this.matrix),e.x<0||e.x>1)switch(this.wrapS){case ql:e.x=e.x-Math.floor(e.x);break;case Es:e.x=e.x<0?0:1;break;case jl:Math.abs(Math.floor(e.x)%2)===1?e.x=Math.ceil(e.x)-e.x:e.x=e.x-Math.floor(e.x);break}if(e.y<0||e.y>1)switch(this.wrapT){case ql:e.y=e.y-Math.floor(e.y);break;case Es:e.y=e.y<0?0:1;break;case jl:Math.abs(Math.floor(e.y)%2)===1?e.y=Math.ceil(e.y)-e.y:e.y=e.y-Math.floor(e.y);break}return this.flipY&&(e.y=1-e.y),e}set needsUpdate(e){e===!0&&(this.version++,this.source.needsUpdate=!0)}set needsPMREMUpdate(e){e===!0&&this.pmremVersion++}}Tn.DEFAULT_IMAGE=null;Tn.DEFAULT_MAPPING=rd;Tn.DEFAULT_ANISOTROPY=1;class fn{constructor(e=0,t=0,n=0,s=1){fn.prototype.isVector4=!0,this.x=e,this.y=t,this.z=n,this.w=s}get width(){return this.z}set width(e){this.z=e}get height(){return this.w}set height(e){this.w=e}set(e,t,n,s){return this.x=e,this.y=t,this.z=n,this.w=s,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this.w=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setW(e){return this.w=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;case 3:this.w=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;case 3:return this.w;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z,this.w)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this.w=e.w!==void 0?e.w:1,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this.w+=e.w,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this.w+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this.w=e.w+t.w,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this.w+=e.w*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this.w-=e.w,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this.w-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this.w=e.w-t.w,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this.w*=e.w,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this.w*=e,this}applyMatrix4(e){const t=this.x,n=this.y,s=this.z,r=this.w,o=e.elements;return this.x=o[0]*t+o[4]*n+o[8]*s+o[12]*r,this.y=o[1]*t+o[5]*n+o[9]*s+o[13]*r,this.z=o[2]*t+o[6]*n+o[10]*s+o[14]*r,this.w=o[3]*t+o[7]*n+o[11]*s+o[15]*r,this}divideScalar(e){return this.multiplyScalar(1/e)}setAxisAngleFromQuaternion(e){this.w=2*Math.acos(e.w);const t=Math.sqrt(1-e.w*e.w);return t<1e-4?(this.x=1,this.y=0,this.z=0):(this.x=e.x/t,this.y=e.y/t,this.z=e.z/t),this}setAxisAngleFromRotationMatrix(e){let t,n,s,r;const l=e.elements,c=l[0],u=l[4],h=l[8],f=l[1],p=l[5],_=l[9],x=l[2],m=l[6],d=l[10];if(Math.abs(u-f)<.01&&Math.abs(h-x)<.01&&Math.abs(_-m)<.01){if(Math.abs(u+f)<.1&&Math.abs(h+x)<.1&&Math.abs(_+m)<.1&&Math.abs(c+p+d-3)<.1)return this.set(1,0,0,0),this;t=Math.PI;const M=(c+1)/2,w=(p+1)/2,V=(d+1)/2,T=(u+f)/4,C=(h+x)/4,U=(_+m)/4;return M>w&&M>V?M<.01?(n=0,s=.707106781,r=.707106781):(n=Math.sqrt(M),s=T/n,r=C/n):w>V?w<.01?(n=.707106781,s=0,r=.707106781):(s=Math.sqrt(w),n=T/s,r=U/s):V<.01?(n=.707106781,s=.707106781,r=0):(r=Math.sqrt(V),n=C/r,s=U/r),this.set(n,s,r,t),this}let y=Math.sqrt((m-_)*(m-_)+(h-x)*(h-x)+(f-u)*(f-u));return Math.abs(y)<.001&&(y=1),this.x=(m-_)/y,this.y=(h-x)/y,this.z=(f-u)/y,this.w=Math.acos((c+p+d-1)/2),this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this.w=Math.min(this.w,e.w),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this.w=Math.max(this.w,e.w),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this.z=Math.max(e.z,Math.min(t.z,this.z)),this.w=Math.max(e.w,Math.min(t.w,this.w)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this.z=Math.max(e,Math.min(t,this.z)),this.w=Math.max(e,Math.min(t,this.w)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this.w=Math.floor(this.w),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this.w=Math.ceil(this.w),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this.w=Math.round(this.w),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this.w=Math.trunc(this.w),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this.w=-this.w,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z+this.w*e.w}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)+Math.abs(this.w)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this.w+=(e.w-this.w)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this.w=e.w+(t.w-e.w)*n,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z&&e.w===this.w}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this.w=e[t+3],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e[t+3]=this.w,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this.w=e.getW(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this.w=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z,yield this.w}}class xg extends Ps{constructor(e=1,t=1,n={}){super(),this.isRenderTarget=!0,this.width=e,this.height=t,this.depth=1,this.scissor=new fn(0,0,e,t),this.scissorTest=!1,this.viewport=new fn(0,0,e,t);const s={width:e,height:t,depth:1};n=Object.assign({generateMipmaps:!1,internalFormat:null,minFilter:ui,depthBuffer:!0,stencilBuffer:!1,resolveDepthBuffer:!0,resolveStencilBuffer:!0,depthTexture:null,samples:0,count:1},n);const r=new Tn(s,n.mapping,n.wrapS,n.wrapT,n.magFilter,n.minFilter,n.format,n.type,n.anisotropy,n.colorSpace);r.flipY=!1,r.generateMipmaps=n.generateMipmaps,r.internalFormat=n.internalFormat,this.textures=[];const o=n.count;for(let a=0;a<o;a++)this.textures[a]=r.clone(),this.textures[a].isRenderTargetTexture=!0;this.depthBuffer=n.depthBuffer,this.stencilBuffer=n.stencilBuffer,this.resolveDepthBuffer=n.resolveDepthBuffer,this.resolveStencilBuffer=n.resolveStencilBuffer,this.depthTexture=n.depthTexture,this.samples=n.samples}get texture(){return this.textures[0]}set texture(e){this.textures[0]=e}setSize(e,t,n=1){if(this.width!==e||this.height!==t||this.depth!==n){this.width=e,this.height=t,this.depth=n;for(let s=0,r=this.textures.length;s<r;s++)this.textures[s].image.width=e,this.textures[s].image.height=t,this.textures[s].image.depth=n;this.dispose()}this.viewport.set(0,0,e,t),this.scissor.set(0,0,e,t)}clone(){return new this.constructor().copy(this)}copy(e){this.width=e.width,this.height=e.height,this.depth=e.depth,this.scissor.copy(e.scissor),this.scissorTest=e.scissorTest,this.viewport.copy(e.viewport),this.textures.length=0;for(let n=0,s=e.textures.length;n<s;n++)this.textures[n]=e.textures[n].clone(),this.textures[n].isRenderTargetTexture=!0;const t=Object.assign({},e.texture.image);return this.texture.source=new md(t),this.depthBuffer=e.depthBuffer,this.stencilBuffer=e.stencilBuffer,this.resolveDepthBuffer=e.resolveDepthBuffer,this.resolveStencilBuffer=e.resolveStencilBuffer,e.depthTexture!==null&&(this.depthTexture=e.depthTexture.clone()),this.samples=e.samples,this}dispose(){this.dispatchEvent({type:"dispose"})}}class As extends xg{constructor(e=1,t=1,n={}){super(e,t,n),this.isWebGLRenderTarget=!0}}class gd extends Tn{constructor(e=null,t=1,n=1,s=1){super(null),this.isDataArrayTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=Ln,this.minFilter=Ln,this.wrapR=Es,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class Mg extends Tn{constructor(e=null,t=1,n=1,s=1){super(null),this.isData3DTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=Ln,this.minFilter=Ln,this.wrapR=Es,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class Rs{constructor(e=0,t=0,n=0,s=1){this.isQuaternion=!0,this._x=e,this._y=t,this._z=n,this._w=s}static slerpFlat(e,t,n,s,r,o,a){let l=n[s+0],c=n[s+1],u=n[s+2],h=n[s+3];const f=r[o+0],p=r[o+1],_=r[o+2],x=r[o+3];if(a===0){e[t+0]=l,e[t+1]=c,e[t+2]=u,e[t+3]=h;return}if(a===1){e[t+0]=f,e[t+1]=p,e[t+2]=_,e[t+3]=x;return}if(h!==x||l!==f||c!==p||u!==_){let m=1-a;const d=l*f+c*p+u*_+h*x,y=d>=0?1:-1,M=1-d*d;if(M>Number.EPSILON){const V=Math.sqrt(M),T=Math.atan2(V,d*y);m=Math.sin(m*T)/V,a=Math.sin(a*T)/V}const w=a*y;if(l=l*m+f*w,c=c*m+p*w,u=u*m+_*w,h=h*m+x*w,m===1-a){const V=1/Math.sqrt(l*l+c*c+u*u+h*h);l*=V,c*=V,u*=V,h*=V}}e[t]=l,e[t+1]=c,e[t+2]=u,e[t+3]=h}static multiplyQuaternionsFlat(e,t,n,s,r,o){const a=n[s],l=n[s+1],c=n[s+2],u=n[s+3],h=r[o],f=r[o+1],p=r[o+2],_=r[o+3];return e[t]=a*_+u*h+l*p-c*f,e[t+1]=l*_+u*f+c*h-a*p,e[t+2]=c*_+u*p+a*f-l*h,e[t+3]=u*_-a*h-l*f-c*p,e}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get w(){return this._w}set w(e){this._w=e,this._onChangeCallback()}set(e,t,n,s){return this._x=e,this._y=t,this._z=n,this._w=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._w)}copy(e){return this._x=e.x,this._y=e.y,this._z=e.z,this._w=e.w,this._onChangeCallback(),this}setFromEuler(e,t=!0){const n=e._x,s=e._y,r=e._z,o=e._order,a=Math.cos,l=Math.sin,c=a(n/2),u=a(s/2),h=a(r/2),f=l(n/2),p=l(s/2),_=l(r/2);switch(o){case"XYZ":this._x=f*u*h+c*p*_,this._y=c*p*h-f*u*_,this._z=c*u*_+f*p*h,this._w=c*u*h-f*p*_;break;case"YXZ":this._x=f*u*h+c*p*_,this._y=c*p*h-f*u*_,this._z=c*u*_-f*p*h,this._w=c*u*h+f*p*_;break;case"ZXY":this._x=f*u*h-c*p*_,this._y=c*p*h+f*u*_,this._z=c*u*_+f*p*h,this._w=c*u*h-f*p*_;break;case"ZYX":this._x=f*u*h-c*p*_,this._y=c*p*h+f*u*_,this._z=c*u*_-f*p*h,this._w=c*u*h+f*p*_;break;case"YZX":this._x=f*u*h+c*p*_,this._y=c*p*h+f*u*_,this._z=c*u*_-f*p*h,this._w=c*u*h-f*p*_;break;case"XZY":this._x=f*u*h-c*p*_,this._y=c*p*h-f*u*_,this._z=c*u*_+f*p*h,this._w=c*u*h+f*p*_;break;default:console.warn("THREE.Quaternion: .setFromEuler() encountered an unknown order: "+o)}return t===!0&&this._onChangeCallback(),this}setFromAxisAngle(e,t){const n=t/2,s=Math.sin(n);return this._x=e.x*s,this._y=e.y*s,this._z=e.z*s,this._w=Math.cos(n),this._onChangeCallback(),this}setFromRotationMatrix(e){const t=e.elements,n=t[0],s=t[4],r=t[8],o=t[1],a=t[5],l=t[9],c=t[2],u=t[6],h=t[10],f=n+a+h;if(f>0){const p=.5/Math.sqrt(f+1);this._w=.25/p,this._x=(u-l)*p,this._y=(r-c)*p,this._z=(o-s)*p}else if(n>a&&n>h){const p=2*Math.sqrt(1+n-a-h);this._w=(u-l)/p,this._x=.25*p,this._y=(s+o)/p,this._z=(r+c)/p}else if(a>h){const p=2*Math.sqrt(1+a-n-h);this._w=(r-c)/p,this._x=(s+o)/p,this._y=.25*p,this._z=(l+u)/p}else{const p=2*Math.sqrt(1+h-n-a);this._w=(o-s)/p,this._x=(r+c)/p,this._y=(l+u)/p,this._z=.25*p}return this._onChangeCallback(),this}setFromUnitVectors(e,t){let n=e.dot(t)+1;return n<Number.EPSILON?(n=0,Math.abs(e.x)>Math.abs(e.z)?(this._x=-e.y,this._y=e.x,this._z=0,this._w=n):(this._x=0,this._y=-e.z,this._z=e.y,this._w=n)):(this._x=e.y*t.z-e.z*t.y,this._y=e.z*t.x-e.x*t.z,this._z=e.x*t.y-e.y*t.x,this._w=n),this.normalize()}angleTo(e){return 2*Math.acos(Math.abs(hn(this.dot(e),-1,1)))}rotateTowards(e,t){const n=this.angleTo(e);if(n===0)return this;const s=Math.min(1,t/n);return this.slerp(e,s),this}identity(){return this.set(0,0,0,1)}invert(){return this.conjugate()}conjugate(){return this._x*=-1,this._y*=-1,this._z*=-1,this._onChangeCallback(),this}dot(e){return this._x*e._x+this._y*e._y+this._z*e._z+this._w*e._w}lengthSq(){return this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w}length(){return Math.sqrt(this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w)}normalize(){let e=this.length();return e===0?(this._x=0,this._y=0,this._z=0,this._w=1):(e=1/e,this._x=this._x*e,this._y=this._y*e,this._z=this._z*e,this._w=this._w*e),this._onChangeCallback(),this}multiply(e){return this.multiplyQuaternions(this,e)}premultiply(e){return this.multiplyQuaternions(e,this)}multiplyQuaternions(e,t){const n=e._x,s=e._y,r=e._z,o=e._w,a=t._x,l=t._y,c=t._z,u=t._w;return this._x=n*u+o*a+s*c-r*l,this._y=s*u+o*l+r*a-n*c,this._z=r*u+o*c+n*l-s*a,this._w=o*u-n*a-s*l-r*c,this._onChangeCallback(),this}slerp(e,t){if(t===0)return this;if(t===1)return this.copy(e);const n=this._x,s=this._y,r=this._z,o=this._w;let a=o*e._w+n*e._x+s*e._y+r*e._z;if(a<0?(this._w=-e._w,this._x=-e._x,this._y=-e._y,this._z=-e._z,a=-a):this.copy(e),a>=1)return this._w=o,this._x=n,this._y=s,this._z=r,this;const l=1-a*a;if(l<=Number.EPSILON){const p=1-t;return this._w=p*o+t*this._w,this._x=p*n+t*this._x,this._y=p*s+t*this._y,this._z=p*r+t*this._z,this.normalize(),this}const c=Math.sqrt(l),u=Math.atan2(c,a),h=Math.sin((1-t)*u)/c,f=Math.sin(t*u)/c;return this._w=o*h+this._w*f,this._x=n*h+this._x*f,this._y=s*h+this._y*f,this._z=r*h+this._z*f,this._onChangeCallback(),this}slerpQuaternions(e,t,n){return this.copy(e).slerp(t,n)}random(){const e=2*Math.PI*Math.random(),t=2*Math.PI*Math.random(),n=Math.random(),s=Math.sqrt(1-n),r=Math.sqrt(n);return this.set(s*Math.sin(e),s*Math.cos(e),r*Math.sin(t),r*Math.cos(t))}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._w===this._w}fromArray(e,t=0){return this._x=e[t],this._y=e[t+1],this._z=e[t+2],this._w=e[t+3],this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._w,e}fromBufferAttribute(e,t){return this._x=e.getX(t),this._y=e.getY(t),this._z=e.getZ(t),this._w=e.getW(t),this._onChangeCallback(),this}toJSON(){return this.toArray()}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._w}}class Y{constructor(e=0,t=0,n=0){Y.prototype.isVector3=!0,this.x=e,this.y=t,this.z=n}set(e,t,n){return n===void 0&&(n=this.z),this.x=e,this.y=t,this.z=n,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;default:throw new Error("index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;default:throw new Error("index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this}multiplyVectors(e,t){return this.x=e.x*t.x,this.y=e.y*t.y,this.z=e.z*t.z,this}applyEuler(e){return this.applyQuaternion(qu.setFromEuler(e))}applyAxisAngle(e,t){return this.applyQuaternion(qu.setFromAxisAngle(e,t))}applyMatrix3(e){const t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[3]*n+r[6]*s,this.y=r[1]*t+r[4]*n+r[7]*s,this.z=r[2]*t+r[5]*n+r[8]*s,this}applyNormalMatrix(e){return this.applyMatrix3(e).normalize()}applyMatrix4(e){const t=this.x,n=this.y,s=this.z,r=e.elements,o=1/(r[3]*t+r[7]*n+r[11]*s+r[15]);return this.x=(r[0]*t+r[4]*n+r[8]*s+r[12])*o,this.y=(r[1]*t+r[5]*n+r[9]*s+r[13])*o,this.z=(r[2]*t+r[6]*n+r[10]*s+r[14])*o,this}applyQuaternion(e){const t=this.x,n=this.y,s=this.z,r=e.x,o=e.y,a=e.z,l=e.w,c=2*(o*s-a*n),u=2*(a*t-r*s),h=2*(r*n-o*t);return this.x=t+l*c+o*h-a*u,this.y=n+l*u+a*c-r*h,this.z=s+l*h+r*u-o*c,this}project(e){return this.applyMatrix4(e.matrixWorldInverse).applyMatrix4(e.projectionMatrix)}unproject(e){return this.applyMatrix4(e.projectionMatrixInverse).applyMatrix4(e.matrixWorld)}transformDirection(e){const t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[4]*n+r[8]*s,this.y=r[1]*t+r[5]*n+r[9]*s,this.z=r[2]*t+r[6]*n+r[10]*s,this.normalize()}divide(e){return this.x/=e.x,this.y/=e.y,this.z/=e.z,this}divideScalar(e){return this.multiplyScalar(1/e)}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this}clamp(e,t){return this.x=Math.max(e.x,Math.min(t.x,this.x)),this.y=Math.max(e.y,Math.min(t.y,this.y)),this.z=Math.max(e.z,Math.min(t.z,this.z)),this}clampScalar(e,t){return this.x=Math.max(e,Math.min(t,this.x)),this.y=Math.max(e,Math.min(t,this.y)),this.z=Math.max(e,Math.min(t,this.z)),this}clampLength(e,t){const n=this.length();return this.divideScalar(n||1).multiplyScalar(Math.max(e,Math.min(t,n)))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this}cross(e){return this.crossVectors(this,e)}crossVectors(e,t){const n=e.x,s=e.y,r=e.z,o=t.x,a=t.y,l=t.z;return this.x=s*l-r*a,this.y=r*o-n*l,this.z=n*a-s*o,this}projectOnVector(e){const t=e.lengthSq();if(t===0)return this.set(0,0,0);const n=e.dot(this)/t;return this.copy(e).multiplyScalar(n)}projectOnPlane(e){return tl.copy(this).projectOnVector(e),this.sub(tl)}reflect(e){return this.sub(tl.copy(e).multiplyScalar(2*this.dot(e)))}angleTo(e){const t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;const n=this.dot(e)/t;return Math.acos(hn(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){const t=this.x-e.x,n=this.y-e.y,s=this.z-e.z;return t*t+n*n+s*s}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)+Math.abs(this.z-e.z)}setFromSpherical(e){return this.setFromSphericalCoords(e.radius,e.phi,e.theta)}setFromSphericalCoords(e,t,n){const s=Math.sin(t)*e;return this.x=s*Math.sin(n),this.y=Math.cos(t)*e,this.z=s*Math.cos(n),this}setFromCylindrical(e){return this.setFromCylindricalCoords(e.radius,e.theta,e.y)}setFromCylindricalCoords(e,t,n){return this.x=e*Math.sin(t),this.y=n,this.z=e*Math.cos(t),this}setFromMatrixPosition(e){const t=e.elements;return this.x=t[12],this.y=t[13],this.z=t[14],this}setFromMatrixScale(e){const t=this.setFromMatrixColumn(e,0).length(),n=this.setFromMatrixColumn(e,1).length(),s=this.setFromMatrixColumn(e,2).length();return this.x=t,this.y=n,this.z=s,this}setFromMatrixColumn(e,t){return this.fromArray(e.elements,t*4)}setFromMatrix3Column(e,t){return this.fromArray(e.elements,t*3)}setFromEuler(e){return this.x=e._x,this.y=e._y,this.z=e._z,this}setFromColor(e){return this.x=e.r,this.y=e.g,this.z=e.b,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this}randomDirection(){const e=Math.random()*Math.PI*2,t=Math.random()*2-1,n=Math.sqrt(1-t*t);return this.x=n*Math.cos(e),this.y=t,this.z=n*Math.sin(e),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z}}const tl=new Y,qu=new Rs;class co{constructor(e=new Y(1/0,1/0,1/0),t=new Y(-1/0,-1/0,-1/0)){this.isBox3=!0,this.min=e,this.max=t}set(e,t){return this.min.copy(e),this.max.copy(t),this}setFromArray(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t+=3)this.expandByPoint(ii.fromArray(e,t));return this}setFromBufferAttribute(e){this.makeEmpty();for(let t=0,n=e.count;t<n;t++)this.expandByPoint(ii.fromBufferAttribute(e,t));return this}setFromPoints(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t++)this.expandByPoint(e[t]);return this}setFromCenterAndSize(e,t){const n=ii.copy(t).multiplyScalar(.5);return this.min.copy(e).sub(n),this.max.copy(e).add(n),this}setFromObject(e,t=!1){return this.makeEmpty(),this.expandByObject(e,t)}clone(){return new this.constructor().copy(this)}copy(e){return this.min.copy(e.min),this.max.copy(e.max),this}makeEmpty(){return this.min.x=this.min.y=this.min.z=1/0,this.max.x=this.max.y=this.max.z=-1/0,this}isEmpty(){return this.max.x<this.min.x||this.max.y<this.min.y||this.max.z<this.min.z}getCenter(e){return this.isEmpty()?e.set(0,0,0):e.addVectors(this.min,this.max).multiplyScalar(.5)}getSize(e){return this.isEmpty()?e.set(0,0,0):e.subVectors(this.max,this.min)}expandByPoint(e){return this.min.min(e),this.max.max(e),this}expandByVector(e){return this.min.sub(e),this.max.add(e),this}expandByScalar(e){return this.min.addScalar(-e),this.max.addScalar(e),this}expandByObject(e,t=!1){e.updateWorldMatrix(!1,!1);const n=e.geometry;if(n!==void 0){const r=n.getAttribute("position");if(t===!0&&r!==void 0&&e.isInstancedMesh!==!0)for(let o=0,a=r.count;o<a;o++)e.isMesh===!0?e.getVertexPosition(o,ii):ii.fromBufferAttribute(r,o),ii.applyMatrix4(e.matrixWorld),this.expandByPoint(ii);else e.boundingBox!==void 0?(e.boundingBox===null&&e.computeBoundingBox(),So.copy(e.boundingBox)):(n.boundingBox===null&&n.computeBoundingBox(),So.copy(n.boundingBox)),So.applyMatrix4(e.matrixWorld),this.union(So)}const s=e.children;for(let r=0,o=s.length;r<o;r++)this.expandByObject(s[r],t);return this}containsPoint(e){return!(e.x<this.min.x||e.x>this.max.x||e.y<this.min.y||e.y>this.max.y||e.z<this.min.z||e.z>this.max.z)}containsBox(e){return this.min.x<=e.min.x&&e.max.x<=this.max.x&&this.min.y<=e.min.y&&e.max.y<=this.max.y&&this.min.z<=e.min.z&&e.max.z<=this.max.z}getParameter(e,t){return t.set((e.x-this.min.x)/(this.max.x-this.min.x),(e.y-this.min.y)/(this.max.y-this.min.y),(e.z-this.min.z)/(this.max.z-this.min.z))}intersectsBox(e){return!(e.max.x<this.min.x||e.min.x>this.max.x||e.max.y<this.min.y||e.min.y>this.max.y||e.max.z<this.min.z||e.min.z>this.max.z)}intersectsSphere(e){return this.clampPoint(e.center,ii),ii.distanceToSquared(e.center)<=e.radius*e.radius}intersectsPlane(e){let t,n;return e.normal.x>0?(t=e.normal.x*this.min.x,n=e.normal.x*this.max.x):(t=e.normal.x*this.max.x,n=e.normal.x*this.min.x),e.normal.y>0?(t+=e.normal.y*this.min.y,n+=e.normal.y*this.max.y):(t+=e.normal.y*this.max.y,n+=e.normal.y*this.min.y),e.normal.z>0?(t+=e.normal.z*this.min.z,n+=e.normal.z*this.max.z):(t+=e.normal.z*this.max.z,n+=e.normal.z*this.min.z),t<=-e.constant&&n>=-e.constant}intersectsTriangle(e){if(this.isEmpty())return!1;this.getCenter(zr),yo.subVectors(this.max,zr),qs.subVectors(e.a,zr),js.subVectors(e.b,zr),Ks.subVectors(e.c,zr),Wi.subVectors(js,qs),$i.subVectors(Ks,js),cs.subVectors(qs,Ks);let t=[0,-Wi.z,Wi.y,0,-$i.z,$i.y,0,-cs.z,cs.y,Wi.z,0,-Wi.x,$i.z,0,-$i.x,cs.z,0,-cs.x,-Wi.y,Wi.x,0,-$i.y,$i.x,0,-cs.y,cs.x,0];return!nl(t,qs,js,Ks,yo)||(t=[1,0,0,0,1,0,0,0,1],!nl(t,qs,js,Ks,yo))?!1:(Eo.crossVectors(Wi,$i),t=[Eo.x,Eo.y,Eo.z],nl(t,qs,js,Ks,yo))}clampPoint(e,t){return t.copy(e).clamp(this.min,this.max)}distanceToPoint(e){return this.clampPoint(e,ii).distanceTo(e)}getBoundingSphere(e){return this.isEmpty()?e.makeEmpty():(this.getCenter(e.center),e.radius=this.getSize(ii).length()*.5),e}intersect(e){return this.min.max(e.min),this.max.min(e.max),this.isEmpty()&&this.makeEmpty(),this}union(e){return this.min.min(e.min),this.max.max(e.max),this}applyMatrix4(e){return this.isEmpty()?this:(Ai[0].set(this.min.x,this.min.y,this.min.z).applyMatrix4(e),Ai[1].set(this.min.x,this.min.y,this.max.z).applyMatrix4(e),Ai[2].set(this.min.x,this.max.y,this.min.z).applyMatrix4(e),Ai[3].set(this.min.x,this.max.y,this.max.z).applyMatrix4(e),Ai[4].set(this.max.x,this.min.y,this.min.z).applyMatrix4(e),Ai[5].set(this.max.x,this.min.y,this.max.z).applyMatrix4(e),Ai[6].set(this.max.x,this.max.y,this.min.z).applyMatrix4(e),Ai[7].set(this.max.x,this.max.y,this.max.z).applyMatrix4(e),this.setFromPoints(Ai),this)}translate(e){return this.min.add(e),this.max.add(e),this}equals(e){return e.min.equals(this.min)&&e.max.equals(this.max)}}const Ai=[new Y,new Y,new Y,new Y,new Y,new Y,new Y,new Y],ii=new Y,So=new co,qs=new Y,js=new Y,Ks=new Y,Wi=new Y,$i=new Y,cs=new Y,zr=new Y,yo=new Y,Eo=new Y,us=new Y;function nl(i,e,t,n,s){for(let r=0,o=i.length-3;r<=o;r+=3){us.fromArray(i,r);const a=s.x*Math.abs(us.x)+s.y*Math.abs(us.y)+s.z*Math.abs(us.z),l=e.dot(us),c=t.dot(us),u=n.dot(us);if(Math.max(-Math.max(l,c,u),Math.min(l,c,u))>a)return!1}return!0}const Sg=new co,Hr=new Y,il=new Y;class gc{constructor(e=new Y,t=-1){this.isSphere=!0,this.center=e,this.radius=t}set(e,t){return this.center.copy(e),this.radius=t,this}setFromPoints(e,t){const n=this.center;t!==void 0?n.copy(t):Sg.setFromPoints(e).getCenter(n);let s=0;for(let r=0,o=e.length;r<o;r++)s=Math.max(s,n.distanceToSquared(e[r]));return this.radius=Math.sqrt(s),this}copy(e){return this.center.copy(e.center),this.radius=e.radius,this}isEmpty(){return this.radius<0}makeEmpty(){return this.center.set(0,0,0),this.radius=-1,this}containsPoint(e){return e.distanceToSquared(this.center)<=this.radius*this.radius}distanceToPoint(e){return e.distanceTo(this.center)-this.radius}intersectsSphere(e){const t=this.radius+e.radius;return e.center.distanceToSquared(this.center)<=t*t}intersectsBox(e){return e.intersectsSphere(this)}intersectsPlane(e){return Math.abs(e.distanceToPoint(this.center))<=this.radius}clampPoint(e,t){const n=this.center.distanceToSquared(e);return t.copy(e),n>this.radius*this.radius&&(t.sub(this.center).normalize(),t.multiplyScalar(this.radius).add(this.center)),t}getBoundingBox(e){return this.isEmpty()?(e.makeEmpty(),e):(e.set(this.center,this.center),e.expandByScalar(this.radius),e)}applyMatrix4(e){return this.center.applyMatrix4(e),this.radius=this.radius*e.getMaxScaleOnAxis(),this}translate(e){return this.center.add(e),this}expandByPoint(e){if(this.isEmpty())return this.center.copy(e),this.radius=0,this;Hr.subVectors(e,this.center);const t=Hr.lengthSq();if(t>this.radius*this.radius){const n=Math.sqrt(t),s=(n-this.radius)*.5;this.center.addScaledVector(Hr,s/n),this.radius+=s}return this}union(e){return e.isEmpty()?this:this.isEmpty()?(this.copy(e),this):(this.center.equals(e.center)===!0?this.radius=Math.max(this.radius,e.radius):(il.subVectors(e.center,this.center).setLength(e.radius),this.expandByPoint(Hr.copy(e.center).add(il)),this.expandByPoint(Hr.copy(e.center).sub(il))),this)}equals(e){return e.center.equals(this.center)&&e.radius===this.radius}clone(){return new this.constructor().copy(this)}}const Ri=new Y,sl=new Y,bo=new Y,Xi=new Y,rl=new Y,wo=new Y,ol=new Y;class _c{constructor(e=new Y,t=new Y(0,0,-1)){this.origin=e,this.direction=t}set(e,t){return this.origin.copy(e),this.direction.copy(t),this}copy(e){return this.origin.copy(e.origin),this.direction.copy(e.direction),this}at(e,t){return t.copy(this.origin).addScaledVector(this.direction,e)}lookAt(e){return this.direction.copy(e).sub(this.origin).normalize(),this}recast(e){return this.origin.copy(this.at(e,Ri)),this}closestPointToPoint(e,t){t.subVectors(e,this.origin);const n=t.dot(this.direction);return n<0?t.copy(this.origin):t.copy(this.origin).addScaledVector(this.direction,n)}distanceToPoint(e){return Math.sqrt(this.distanceSqToPoint(e))}distanceSqToPoint(e){const t=Ri.subVectors(e,this.origin).dot(this.direction);return t<0?this.origin.distanceToSquared(e):(Ri.copy(this.origin).addScaledVector(this.direction,t),Ri.distanceToSquared(e))}distanceSqToSegment(e,t,n,s){sl.copy(e).add(t).multiplyScalar(.5),bo.copy(t).sub(e).normalize(),Xi.copy(this.origin).sub(sl);const r=e.distanceTo(t)*.5,o=-this.direction.dot(bo),a=Xi.dot(this.direction),l=-Xi.dot(bo),c=Xi.lengthSq(),u=Math.abs(1-o*o);let h,f,p,_;if(u>0)if(h=o*l-a,f=o*a-l,_=r*u,h>=0)if(f>=-_)if(f<=_){const x=1/u;h*=x,f*=x,p=h*(h+o*f+2*a)+f*(o*h+f+2*l)+c}else f=r,h=Math.max(0,-(o*f+a)),p=-h*h+f*(f+2*l)+c;else f=-r,h=Math.max(0,-(o*f+a)),p=-h*h+f*(f+2*l)+c;else f<=-_?(h=Math.max(0,-(-o*r+a)),f=h>0?-r:Math.min(Math.max(-r,-l),r),p=-h*h+f*(f+2*l)+c):f<=_?(h=0,f=Math.min(Math.max(-r,-l),r),p=f*(f+2*l)+c):(h=Math.max(0,-(o*r+a)),f=h>0?r:Math.min(Math.max(-r,-l),r),p=-h*h+f*(f+2*l)+c);else f=o>0?-r:r,h=Math.max(0,-(o*f+a)),p=-h*h+f*(f+2*l)+c;return n&&n.copy(this.origin).addScaledVector(this.direction,h),s&&s.copy(sl).addScaledVector(bo,f),p}intersectSphere(e,t){Ri.subVectors(e.center,this.origin);const n=Ri.dot(this.direction),s=Ri.dot(Ri)-n*n,r=e.radius*e.radius;if(s>r)return null;const o=Math.sqrt(r-s),a=n-o,l=n+o;return l<0?null:a<0?this.at(l,t):this.at(a,t)}intersectsSphere(e){return this.distanceSqToPoint(e.center)<=e.radius*e.radius}distanceToPlane(e){const t=e.normal.dot(this.direction);if(t===0)return e.distanceToPoint(this.origin)===0?0:null;const n=-(this.origin.dot(e.normal)+e.constant)/t;return n>=0?n:null}intersectPlane(e,t){const n=this.distanceToPlane(e);return n===null?null:this.at(n,t)}intersectsPlane(e){const t=e.distanceToPoint(this.origin);return t===0||e.normal.dot(this.direction)*t<0}intersectBox(e,t){let n,s,r,o,a,l;const c=1/this.direction.x,u=1/this.direction.y,h=1/this.direction.z,f=this.origin;return c>=0?(n=(e.min.x-f.x)*c,s=(e.max.x-f.x)*c):(n=(e.max.x-f.x)*c,s=(e.min.x-f.x)*c),u>=0?(r=(e.min.y-f.y)*u,o=(e.max.y-f.y)*u):(r=(e.max.y-f.y)*u,o=(e.min.y-f.y)*u),n>o||r>s||((r>n||isNaN(n))&&(n=r),(o<s||isNaN(s))&&(s=o),h>=0?(a=(e.min.z-f.z)*h,l=(e.max.z-f.z)*h):(a=(e.max.z-f.z)*h,l=(e.min.z-f.z)*h),n>l||a>s)||((a>n||n!==n)&&(n=a),(l<s||s!==s)&&(s=l),s<0)?null:this.at(n>=0?n:s,t)}intersectsBox(e){return this.intersectBox(e,Ri)!==null}intersectTriangle(e,t,n,s,r){rl.subVectors(t,e),wo.subVectors(n,e),ol.crossVectors(rl,wo);let o=this.direction.dot(ol),a;if(o>0){if(s)return null;a=1}else if(o<0)a=-1,o=-o;else return null;Xi.subVectors(this.origin,e);const l=a*this.direction.dot(wo.crossVectors(Xi,wo));if(l<0)return null;const c=a*this.direction.dot(rl.cross(Xi));if(c<0||l+c>o)return null;const u=-a*Xi.dot(ol);return u<0?null:this.at(u/o,r)}applyMatrix4(e){return this.origin.applyMatrix4(e),this.direction.transformDirection(e),this}equals(e){return e.origin.equals(this.origin)&&e.direction.equals(this.direction)}clone(){return new this.constructor().copy(this)}}class zt{constructor(e,t,n,s,r,o,a,l,c,u,h,f,p,_,x,m){zt.prototype.isMatrix4=!0,this.elements=[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c,u,h,f,p,_,x,m)}set(e,t,n,s,r,o,a,l,c,u,h,f,p,_,x,m){const d=this.elements;return d[0]=e,d[4]=t,d[8]=n,d[12]=s,d[1]=r,d[5]=o,d[9]=a,d[13]=l,d[2]=c,d[6]=u,d[10]=h,d[14]=f,d[3]=p,d[7]=_,d[11]=x,d[15]=m,this}identity(){return this.set(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1),this}clone(){return new zt().fromArray(this.elements)}copy(e){const t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],t[9]=n[9],t[10]=n[10],t[11]=n[11],t[12]=n[12],t[13]=n[13],t[14]=n[14],t[15]=n[15],this}copyPosition(e){const t=this.elements,n=e.elements;return t[12]=n[12],t[13]=n[13],t[14]=n[14],this}setFromMatrix3(e){const t=e.elements;return this.set(t[0],t[3],t[6],0,t[1],t[4],t[7],0,t[2],t[5],t[8],0,0,0,0,1),this}extractBasis(e,t,n){return e.setFromMatrixColumn(this,0),t.setFromMatrixColumn(this,1),n.setFromMatrixColumn(this,2),this}makeBasis(e,t,n){return this.set(e.x,t.x,n.x,0,e.y,t.y,n.y,0,e.z,t.z,n.z,0,0,0,0,1),this}extractRotation(e){const t=this.elements,n=e.elements,s=1/Zs.setFromMatrixColumn(e,0).length(),r=1/Zs.setFromMatrixColumn(e,1).length(),o=1/Zs.setFromMatrixColumn(e,2).length();return t[0]=n[0]*s,t[1]=n[1]*s,t[2]=n[2]*s,t[3]=0,t[4]=n[4]*r,t[5]=n[5]*r,t[6]=n[6]*r,t[7]=0,t[8]=n[8]*o,t[9]=n[9]*o,t[10]=n[10]*o,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromEuler(e){const t=this.elements,n=e.x,s=e.y,r=e.z,o=Math.cos(n),a=Math.sin(n),l=Math.cos(s),c=Math.sin(s),u=Math.cos(r),h=Math.sin(r);if(e.order==="XYZ"){const f=o*u,p=o*h,_=a*u,x=a*h;t[0]=l*u,t[4]=-l*h,t[8]=c,t[1]=p+_*c,t[5]=f-x*c,t[9]=-a*l,t[2]=x-f*c,t[6]=_+p*c,t[10]=o*l}else if(e.order==="YXZ"){const f=l*u,p=l*h,_=c*u,x=c*h;t[0]=f+x*a,t[4]=_*a-p,t[8]=o*c,t[1]=o*h,t[5]=o*u,t[9]=-a,t[2]=p*a-_,t[6]=x+f*a,t[10]=o*l}else if(e.order==="ZXY"){const f=l*u,p=l*h,_=c*u,x=c*h;t[0]=f-x*a,t[4]=-o*h,t[8]=_+p*a,t[1]=p+_*a,t[5]=o*u,t[9]=x-f*a,t[2]=-o*c,t[6]=a,t[10]=o*l}else if(e.order==="ZYX"){const f=o*u,p=o*h,_=a*u,x=a*h;t[0]=l*u,t[4]=_*c-p,t[8]=f*c+x,t[1]=l*h,t[5]=x*c+f,t[9]=p*c-_,t[2]=-c,t[6]=a*l,t[10]=o*l}else if(e.order==="YZX"){const f=o*l,p=o*c,_=a*l,x=a*c;t[0]=l*u,t[4]=x-f*h,t[8]=_*h+p,t[1]=h,t[5]=o*u,t[9]=-a*u,t[2]=-c*u,t[6]=p*h+_,t[10]=f-x*h}else if(e.order==="XZY"){const f=o*l,p=o*c,_=a*l,x=a*c;t[0]=l*u,t[4]=-h,t[8]=c*u,t[1]=f*h+x,t[5]=o*u,t[9]=p*h-_,t[2]=_*h-p,t[6]=a*u,t[10]=x*h+f}return t[3]=0,t[7]=0,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromQuaternion(e){return this.compose(yg,e,Eg)}lookAt(e,t,n){const s=this.elements;return kn.subVectors(e,t),kn.lengthSq()===0&&(kn.z=1),kn.normalize(),Yi.crossVectors(n,kn),Yi.lengthSq()===0&&(Math.abs(n.z)===1?kn.x+=1e-4:kn.z+=1e-4,kn.normalize(),Yi.crossVectors(n,kn)),Yi.normalize(),To.crossVectors(kn,Yi),s[0]=Yi.x,s[4]=To.x,s[8]=kn.x,s[1]=Yi.y,s[5]=To.y,s[9]=kn.y,s[2]=Yi.z,s[6]=To.z,s[10]=kn.z,this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){const n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[4],l=n[8],c=n[12],u=n[1],h=n[5],f=n[9],p=n[13],_=n[2],x=n[6],m=n[10],d=n[14],y=n[3],M=n[7],w=n[11],V=n[15],T=s[0],C=s[4],U=s[8],E=s[12],v=s[1],D=s[5],H=s[9],L=s[13],j=s[2],q=s[6],te=s[10],ie=s[14],ne=s[3],fe=s[7],G=s[11],ce=s[15];return r[0]=o*T+a*v+l*j+c*ne,r[4]=o*C+a*D+l*q+c*fe,r[8]=o*U+a*H+l*te+c*G,r[12]=o*E+a*L+l*ie+c*ce,r[1]=u*T+h*v+f*j+p*ne,r[5]=u*C+h*D+f*q+p*fe,r[9]=u*U+h*H+f*te+p*G,r[13]=u*E+h*L+f*ie+p*ce,r[2]=_*T+x*v+m*j+d*ne,r[6]=_*C+x*D+m*q+d*fe,r[10]=_*U+x*H+m*te+d*G,r[14]=_*E+x*L+m*ie+d*ce,r[3]=y*T+M*v+w*j+V*ne,r[7]=y*C+M*D+w*q+V*fe,r[11]=y*U+M*H+w*te+V*G,r[15]=y*E+M*L+w*ie+V*ce,this}multiplyScalar(e){const t=this.elements;return t[0]*=e,t[4]*=e,t[8]*=e,t[12]*=e,t[1]*=e,t[5]*=e,t[9]*=e,t[13]*=e,t[2]*=e,t[6]*=e,t[10]*=e,t[14]*=e,t[3]*=e,t[7]*=e,t[11]*=e,t[15]*=e,this}determinant(){const e=this.elements,t=e[0],n=e[4],s=e[8],r=e[12],o=e[1],a=e[5],l=e[9],c=e[13],u=e[2],h=e[6],f=e[10],p=e[14],_=e[3],x=e[7],m=e[11],d=e[15];return _*(+r*l*h-s*c*h-r*a*f+n*c*f+s*a*p-n*l*p)+x*(+t*l*p-t*c*f+r*o*f-s*o*p+s*c*u-r*l*u)+m*(+t*c*h-t*a*p-r*o*h+n*o*p+r*a*u-n*c*u)+d*(-s*a*u-t*l*h+t*a*f+s*o*h-n*o*f+n*l*u)}transpose(){const e=this.elements;let t;return t=e[1],e[1]=e[4],e[4]=t,t=e[2],e[2]=e[8],e[8]=t,t=e[6],e[6]=e[9],e[9]=t,t=e[3],e[3]=e[12],e[12]=t,t=e[7],e[7]=e[13],e[13]=t,t=e[11],e[11]=e[14],e[14]=t,this}setPosition(e,t,n){const s=this.elements;return e.isVector3?(s[12]=e.x,s[13]=e.y,s[14]=e.z):(s[12]=e,s[13]=t,s[14]=n),this}invert(){const e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],u=e[8],h=e[9],f=e[10],p=e[11],_=e[12],x=e[13],m=e[14],d=e[15],y=h*m*c-x*f*c+x*l*p-a*m*p-h*l*d+a*f*d,M=_*f*c-u*m*c-_*l*p+o*m*p+u*l*d-o*f*d,w=u*x*c-_*h*c+_*a*p-o*x*p-u*a*d+o*h*d,V=_*h*l-u*x*l-_*a*f+o*x*f+u*a*m-o*h*m,T=t*y+n*M+s*w+r*V;if(T===0)return this.set(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);const C=1/T;return e[0]=y*C,e[1]=(x*f*r-h*m*r-x*s*p+n*m*p+h*s*d-n*f*d)*C,e[2]=(a*m*r-x*l*r+x*s*c-n*m*c-a*s*d+n*l*d)*C,e[3]=(h*l*r-a*f*r-h*s*c+n*f*c+a*s*p-n*l*p)*C,e[4]=M*C,e[5]=(u*m*r-_*f*r+_*s*p-t*m*p-u*s*d+t*f*d)*C,e[6]=(_*l*r-o*m*r-_*s*c+t*m*c+o*s*d-t*l*d)*C,e[7]=(o*f*r-u*l*r+u*s*c-t*f*c-o*s*p+t*l*p)*C,e[8]=w*C,e[9]=(_*h*r-u*x*r-_*n*p+t*x*p+u*n*d-t*h*d)*C,e[10]=(o*x*r-_*a*r+_*n*c-t*x*c-o*n*d+t*a*d)*C,e[11]=(u*a*r-o*h*r-u*n*c+t*h*c+o*n*p-t*a*p)*C,e[12]=V*C,e[13]=(u*x*s-_*h*s+_*n*f-t*x*f-u*n*m+t*h*m)*C,e[14]=(_*a*s-o*x*s-_*n*l+t*x*l+o*n*m-t*a*m)*C,e[15]=(o*h*s-u*a*s+u*n*l-t*h*l-o*n*f+t*a*f)*C,this}scale(e){const t=this.elements,n=e.x,s=e.y,r=e.z;return t[0]*=n,t[4]*=s,t[8]*=r,t[1]*=n,t[5]*=s,t[9]*=r,t[2]*=n,t[6]*=s,t[10]*=r,t[3]*=n,t[7]*=s,t[11]*=r,this}getMaxScaleOnAxis(){const e=this.elements,t=e[0]*e[0]+e[1]*e[1]+e[2]*e[2],n=e[4]*e[4]+e[5]*e[5]+e[6]*e[6],s=e[8]*e[8]+e[9]*e[9]+e[10]*e[10];return Math.sqrt(Math.max(t,n,s))}makeTranslation(e,t,n){return e.isVector3?this.set(1,0,0,e.x,0,1,0,e.y,0,0,1,e.z,0,0,0,1):this.set(1,0,0,e,0,1,0,t,0,0,1,n,0,0,0,1),this}makeRotationX(e){const t=Math.cos(e),n=Math.sin(e);return this.set(1,0,0,0,0,t,-n,0,0,n,t,0,0,0,0,1),this}makeRotationY(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,0,n,0,0,1,0,0,-n,0,t,0,0,0,0,1),this}makeRotationZ(e){const t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,0,n,t,0,0,0,0,1,0,0,0,0,1),this}makeRotationAxis(e,t){const n=Math.cos(t),s=Math.sin(t),r=1-n,o=e.x,a=e.y,l=e.z,c=r*o,u=r*a;return this.set(c*o+n,c*a-s*l,c*l+s*a,0,c*a+s*l,u*a+n,u*l-s*o,0,c*l-s*a,u*l+s*o,r*l*l+n,0,0,0,0,1),this}makeScale(e,t,n){return this.set(e,0,0,0,0,t,0,0,0,0,n,0,0,0,0,1),this}makeShear(e,t,n,s,r,o){return this.set(1,n,r,0,e,1,o,0,t,s,1,0,0,0,0,1),this}compose(e,t,n){const s=this.elements,r=t._x,o=t._y,a=t._z,l=t._w,c=r+r,u=o+o,h=a+a,f=r*c,p=r*u,_=r*h,x=o*u,m=o*h,d=a*h,y=l*c,M=l*u,w=l*h,V=n.x,T=n.y,C=n.z;return s[0]=(1-(x+d))*V,s[1]=(p+w)*V,s[2]=(_-M)*V,s[3]=0,s[4]=(p-w)*T,s[5]=(1-(f+d))*T,s[6]=(m+y)*T,s[7]=0,s[8]=(_+M)*C,s[9]=(m-y)*C,s[10]=(1-(f+x))*C,s[11]=0,s[12]=e.x,s[13]=e.y,s[14]=e.z,s[15]=1,this}decompose(e,t,n){const s=this.elements;let r=Zs.set(s[0],s[1],s[2]).length();const o=Zs.set(s[4],s[5],s[6]).length(),a=Zs.set(s[8],s[9],s[10]).length();this.determinant()<0&&(r=-r),e.x=s[12],e.y=s[13],e.z=s[14],si.copy(this);const c=1/r,u=1/o,h=1/a;return si.elements[0]*=c,si.elements[1]*=c,si.elements[2]*=c,si.elements[4]*=u,si.elements[5]*=u,si.elements[6]*=u,si.elements[8]*=h,si.elements[9]*=h,si.elements[10]*=h,t.setFromRotationMatrix(si),n.x=r,n.y=o,n.z=a,this}makePerspective(e,t,n,s,r,o,a=Ii){const l=this.elements,c=2*r/(t-e),u=2*r/(n-s),h=(t+e)/(t-e),f=(n+s)/(n-s);let p,_;if(a===Ii)p=-(o+r)/(o-r),_=-2*o*r/(o-r);else if(a===ra)p=-o/(o-r),_=-o*r/(o-r);else throw new Error("THREE.Matrix4.makePerspective(): Invalid coordinate system: "+a);return l[0]=c,l[4]=0,l[8]=h,l[12]=0,l[1]=0,l[5]=u,l[9]=f,l[13]=0,l[2]=0,l[6]=0,l[10]=p,l[14]=_,l[3]=0,l[7]=0,l[11]=-1,l[15]=0,this}makeOrthographic(e,t,n,s,r,o,a=Ii){const l=this.elements,c=1/(t-e),u=1/(n-s),h=1/(o-r),f=(t+e)*c,p=(n+s)*u;let _,x;if(a===Ii)_=(o+r)*h,x=-2*h;else if(a===ra)_=r*h,x=-1*h;else throw new Error("THREE.Matrix4.makeOrthographic(): Invalid coordinate system: "+a);return l[0]=2*c,l[4]=0,l[8]=0,l[12]=-f,l[1]=0,l[5]=2*u,l[9]=0,l[13]=-p,l[2]=0,l[6]=0,l[10]=x,l[14]=-_,l[3]=0,l[7]=0,l[11]=0,l[15]=1,this}equals(e){const t=this.elements,n=e.elements;for(let s=0;s<16;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<16;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){const n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e[t+9]=n[9],e[t+10]=n[10],e[t+11]=n[11],e[t+12]=n[12],e[t+13]=n[13],e[t+14]=n[14],e[t+15]=n[15],e}}const Zs=new Y,si=new zt,yg=new Y(0,0,0),Eg=new Y(1,1,1),Yi=new Y,To=new Y,kn=new Y,ju=new zt,Ku=new Rs;class Fi{constructor(e=0,t=0,n=0,s=Fi.DEFAULT_ORDER){this.isEuler=!0,this._x=e,this._y=t,this._z=n,this._order=s}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get order(){return this._order}set order(e){this._order=e,this._onChangeCallback()}set(e,t,n,s=this._order){return this._x=e,this._y=t,this._z=n,this._order=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._order)}copy(e){return this._x=e._x,this._y=e._y,this._z=e._z,this._order=e._order,this._onChangeCallback(),this}setFromRotationMatrix(e,t=this._order,n=!0){const s=e.elements,r=s[0],o=s[4],a=s[8],l=s[1],c=s[5],u=s[9],h=s[2],f=s[6],p=s[10];switch(t){case"XYZ":this._y=Math.asin(hn(a,-1,1)),Math.abs(a)<.9999999?(this._x=Math.atan2(-u,p),this._z=Math.atan2(-o,r)):(this._x=Math.atan2(f,c),this._z=0);break;case"YXZ":this._x=Math.asin(-hn(u,-1,1)),Math.abs(u)<.9999999?(this._y=Math.atan2(a,p),this._z=Math.atan2(l,c)):(this._y=Math.atan2(-h,r),this._z=0);break;case"ZXY":this._x=Math.asin(hn(f,-1,1)),Math.abs(f)<.9999999?(this._y=Math.atan2(-h,p),this._z=Math.atan2(-o,c)):(this._y=0,this._z=Math.atan2(l,r));break;case"ZYX":this._y=Math.asin(-hn(h,-1,1)),Math.abs(h)<.9999999?(this._x=Math.atan2(f,p),this._z=Math.atan2(l,r)):(this._x=0,this._z=Math.atan2(-o,c));break;case"YZX":this._z=Math.asin(hn(l,-1,1)),Math.abs(l)<.9999999?(this._x=Math.atan2(-u,c),this._y=Math.atan2(-h,r)):(this._x=0,this._y=Math.atan2(a,p));break;case"XZY":this._z=Math.asin(-hn(o,-1,1)),Math.abs(o)<.9999999?(this._x=Math.atan2(f,c),this._y=Math.atan2(a,r)):(this._x=Math.atan2(-u,p),this._y=0);break;default:console.warn("THREE.Euler: .setFromRotationMatrix() encountered an unknown order: "+t)}return this._order=t,n===!0&&this._onChangeCallback(),this}setFromQuaternion(e,t,n){return ju.makeRotationFromQuaternion(e),this.setFromRotationMatrix(ju,t,n)}setFromVector3(e,t=this._order){return this.set(e.x,e.y,e.z,t)}reorder(e){return Ku.setFromEuler(this),this.setFromQuaternion(Ku,e)}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._order===this._order}fromArray(e){return this._x=e[0],this._y=e[1],this._z=e[2],e[3]!==void 0&&(this._order=e[3]),this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._order,e}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._order}}Fi.DEFAULT_ORDER="XYZ";class vc{constructor(){this.mask=1}set(e){this.mask=(1<<e|0)>>>0}enable(e){this.mask|=1<<e|0}enableAll(){this.mask=-1}toggle(e){this.mask^=1<<e|0}disable(e){this.mask&=~(1<<e|0)}disableAll(){this.mask=0}test(e){return(this.mask&e.mask)!==0}isEnabled(e){return(this.mask&(1<<e|0))!==0}}let bg=0;const Zu=new Y,Js=new Rs,Ci=new zt,Ao=new Y,Vr=new Y,wg=new Y,Tg=new Rs,Ju=new Y(1,0,0),Qu=new Y(0,1,0),eh=new Y(0,0,1),th={type:"added"},Ag={type:"removed"},Qs={type:"childadded",child:null},al={type:"childremoved",child:null};class Hn extends Ps{constructor(){super(),this.isObject3D=!0,Object.defineProperty(this,"id",{value:bg++}),this.uuid=lo(),this.name="",this.type="Object3D",this.parent=null,this.children=[],this.up=Hn.DEFAULT_UP.clone();const e=new Y,t=new Fi,n=new Rs,s=new Y(1,1,1);function r(){n.setFromEuler(t,!1)}function o(){t.setFromQuaternion(n,void 0,!1)}t._onChange(r),n._onChange(o),Object.defineProperties(this,{position:{configurable:!0,enumerable:!0,value:e},rotation:{configurable:!0,enumerable:!0,value:t},quaternion:{configurable:!0,enumerable:!0,value:n},scale:{configurable:!0,enumerable:!0,value:s},modelViewMatrix:{value:new zt},normalMatrix:{value:new rt}}),this.matrix=new zt,this.matrixWorld=new zt,this.matrixAutoUpdate=Hn.DEFAULT_MATRIX_AUTO_UPDATE,this.matrixWorldAutoUpdate=Hn.DEFAULT_MATRIX_WORLD_AUTO_UPDATE,this.matrixWorldNeedsUpdate=!1,this.layers=new vc,this.visible=!0,this.castShadow=!1,this.receiveShadow=!1,this.frustumCulled=!0,this.renderOrder=0,this.animations=[],this.userData={}}onBeforeShadow(){}onAfterShadow(){}onBeforeRender(){}onAfterRender(){}applyMatrix4(e){this.matrixAutoUpdate&&this.updateMatrix(),this.matrix.premultiply(e),this.matrix.decompose(this.position,this.quaternion,this.scale)}applyQuaternion(e){return this.quaternion.premultiply(e),this}setRotationFromAxisAngle(e,t){this.quaternion.setFromAxisAngle(e,t)}setRotationFromEuler(e){this.quaternion.setFromEuler(e,!0)}setRotationFromMatrix(e){this.quaternion.setFromRotationMatrix(e)}setRotationFromQuaternion(e){this.quaternion.copy(e)}rotateOnAxis(e,t){return Js.setFromAxisAngle(e,t),this.quaternion.multiply(Js),this}rotateOnWorldAxis(e,t){return Js.setFromAxisAngle(e,t),this.quaternion.premultiply(Js),this}rotateX(e){return this.rotateOnAxis(Ju,e)}rotateY(e){return this.rotateOnAxis(Qu,e)}rotateZ(e){return this.rotateOnAxis(eh,e)}translateOnAxis(e,t){return Zu.copy(e).applyQuaternion(this.quaternion),this.position.add(Zu.multiplyScalar(t)),this}translateX(e){return this.translateOnAxis(Ju,e)}translateY(e){return this.translateOnAxis(Qu,e)}translateZ(e){return this.translateOnAxis(eh,e)}localToWorld(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(this.matrixWorld)}worldToLocal(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(Ci.copy(this.matrixWorld).invert())}lookAt(e,t,n){e.isVector3?Ao.copy(e):Ao.set(e,t,n);const s=this.parent;this.updateWorldMatrix(!0,!1),Vr.setFromMatrixPosition(this.matrixWorld),this.isCamera||this.isLight?Ci.lookAt(Vr,Ao,this.up):Ci.lookAt(Ao,Vr,this.up),this.quaternion.setFromRotationMatrix(Ci),s&&(Ci.extractRotation(s.matrixWorld),Js.setFromRotationMatrix(Ci),this.quaternion.premultiply(Js.invert()))}add(e){if(arguments.length>1){for(let t=0;t<arguments.length;t++)this.add(arguments[t]);return this}return e===this?(console.error("THREE.Object3D.add: object can't be added as a child of itself.",e),this):(e&&e.isObject3D?(e.removeFromParent(),e.parent=this,this.children.push(e),e.dispatchEvent(th),Qs.child=e,this.dispatchEvent(Qs),Qs.child=null):console.error("THREE.Object3D.add: object not an instance of THREE.Object3D.",e),this)}remove(e){if(arguments.length>1){for(let n=0;n<arguments.length;n++)this.remove(arguments[n]);return this}const t=this.children.indexOf(e);return t!==-1&&(e.parent=null,this.children.splice(t,1),e.dispatchEvent(Ag),al.child=e,this.dispatchEvent(al),al.child=null),this}removeFromParent(){const e=this.parent;return e!==null&&e.remove(this),this}clear(){return this.remove(...this.children)}attach(e){return this.updateWorldMatrix(!0,!1),Ci.copy(this.matrixWorld).invert(),e.parent!==null&&(e.parent.updateWorldMatrix(!0,!1),Ci.multiply(e.parent.matrixWorld)),e.applyMatrix4(Ci),e.removeFromParent(),e.parent=this,this.children.push(e),e.updateWorldMatrix(!1,!0),e.dispatchEvent(th),Qs.child=e,this.dispatchEvent(Qs),Qs.child=null,this}getObjectById(e){return this.getObjectByProperty("id",e)}getObjectByName(e){return this.getObjectByProperty("name",e)}getObjectByProperty(e,t){if(this[e]===t)return this;for(let n=0,s=this.children.length;n<s;n++){const o=this.children[n].getObjectByProperty(e,t);if(o!==void 0)return o}}getObjectsByProperty(e,t,n=[]){this[e]===t&&n.push(this);const s=this.children;for(let r=0,o=s.length;r<o;r++)s[r].getObjectsByProperty(e,t,n);return n}getWorldPosition(e){return this.updateWorldMatrix(!0,!1),e.setFromMatrixPosition(this.matrixWorld)}getWorldQuaternion(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(Vr,e,wg),e}getWorldScale(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(Vr,Tg,e),e}getWorldDirection(e){this.updateWorldMatrix(!0,!1);const t=this.matrixWorld.elements;return e.set(t[8],t[9],t[10]).normalize()}raycast(){}traverse(e){e(this);const t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverse(e)}traverseVisible(e){if(this.visible===!1)return;e(this);const t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverseVisible(e)}traverseAncestors(e){const t=this.parent;t!==null&&(e(t),t.traverseAncestors(e))}updateMatrix(){this.matrix.compose(this.position,this.quaternion,this.scale),this.matrixWorldNeedsUpdate=!0}updateMatrixWorld(e){this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||e)&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix),this.matrixWorldNeedsUpdate=!1,e=!0);const t=this.children;for(let n=0,s=t.length;n<s;n++){const r=t[n];(r.matrixWorldAutoUpdate===!0||e===!0)&&r.updateMatrixWorld(e)}}updateWorldMatrix(e,t){const n=this.parent;if(e===!0&&n!==null&&n.matrixWorldAutoUpdate===!0&&n.updateWorldMatrix(!0,!1),this.matrixAutoUpdate&&this.updateMatrix(),this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix),t===!0){const s=this.children;for(let r=0,o=s.length;r<o;r++){const a=s[r];a.matrixWorldAutoUpdate===!0&&a.updateWorldMatrix(!1,!0)}}}toJSON(e){const t=e===void 0||typeof e=="string",n={};t&&(e={geometries:{},materials:{},textures:{},images:{},shapes:{},skeletons:{},animations:{},nodes:{}},n.metadata={version:4.6,type:"Object",generator:"Object3D.toJSON"});const s={};s.uuid=this.uuid,s.type=this.type,this.name!==""&&(s.name=this.name),this.castShadow===!0&&(s.castShadow=!0),this.receiveShadow===!0&&(s.receiveShadow=!0),this.visible===!1&&(s.visible=!1),this.frustumCulled===!1&&(s.frustumCulled=!1),this.renderOrder!==0&&(s.renderOrder=this.renderOrder),Object.keys(this.userData).length>0&&(s.userData=this.userData),s.layers=this.layers.mask,s.matrix=this.matrix.toArray(),s.up=this.up.toArray(),this.matrixAutoUpdate===!1&&(s.matrixAutoUpdate=!1),this.isInstancedMesh&&(s.type="InstancedMesh",s.count=this.count,s.instanceMatrix=this.instanceMatrix.toJSON(),this.instanceColor!==null&&(s.instanceColor=this.instanceColor.toJSON())),this.isBatchedMesh&&(s.type="BatchedMesh",s.perObjectFrustumCulled=this.perObjectFrustumCulled,s.sortObjects=this.sortObjects,s.drawRanges=this._drawRanges,s.reservedRanges=this._reservedRanges,s.visibility=this._visibility,s.active=this._active,s.bounds=this._bounds.map(a=>({boxInitialized:a.boxInitialized,boxMin:a.box.min.toArray(),boxMax:a.box.max.toArray(),sphereInitialized:a.sphereInitialized,sphereRadius:a.sphere.radius,sphereCenter:a.sphere.center.toArray()})),s.maxGeometryCount=this._maxGeometryCount,s.maxVertexCount=this._maxVertexCount,s.maxIndexCount=this._maxIndexCount,s.geometryInitialized=this._geometryInitialized,s.geometryCount=this._geometryCount,s.matricesTexture=this._matricesTexture.toJSON(e),this.boundingSphere!==null&&(s.boundingSphere={center:s.boundingSphere.center.toArray(),radius:s.boundingSphere.radius}),this.boundingBox!==null&&(s.boundingBox={min:s.boundingBox.min.toArray(),max:s.boundingBox.max.toArray()}));function r(a,l){return a[l.uuid]===void 0&&(a[l.uuid]=l.toJSON(e)),l.uuid}if(this.isScene)this.background&&(this.background.isColor?s.background=this.background.toJSON():this.background.isTexture&&(s.background=this.background.toJSON(e).uuid)),this.environment&&this.environment.isTexture&&this.environment.isRenderTargetTexture!==!0&&(s.environment=this.environment.toJSON(e).uuid);else if(this.isMesh||this.isLine||this.isPoints){s.geometry=r(e.geometries,this.geometry);const a=this.geometry.parameters;if(a!==void 0&&a.shapes!==void 0){const l=a.shapes;if(Array.isArray(l))for(let c=0,u=l.length;c<u;c++){const h=l[c];r(e.shapes,h)}else r(e.shapes,l)}}if(this.isSkinnedMesh&&(s.bindMode=this.bindMode,s.bindMatrix=this.bindMatrix.toArray(),this.skeleton!==void 0&&(r(e.skeletons,this.skeleton),s.skeleton=this.skeleton.uuid)),this.material!==void 0)if(Array.isArray(this.material)){const a=[];for(let l=0,c=this.material.length;l<c;l++)a.push(r(e.materials,this.material[l]));s.material=a}else s.material=r(e.materials,this.material);if(this.children.length>0){s.children=[];for(let a=0;a<this.children.length;a++)s.children.push(this.children[a].toJSON(e).object)}if(this.animations.length>0){s.animations=[];for(let a=0;a<this.animations.length;a++){const l=this.animations[a];s.animations.push(r(e.animations,l))}}if(t){const a=o(e.geometries),l=o(e.materials),c=o(e.textures),u=o(e.images),h=o(e.shapes),f=o(e.skeletons),p=o(e.animations),_=o(e.nodes);a.length>0&&(n.geometries=a),l.length>0&&(n.materials=l),c.length>0&&(n.textures=c),u.length>0&&(n.images=u),h.length>0&&(n.shapes=h),f.length>0&&(n.skeletons=f),p.length>0&&(n.animations=p),_.length>0&&(n.nodes=_)}return n.object=s,n;function o(a){const l=[];for(const c in a){const u=a[c];delete u.metadata,l.push(u)}return l}}clone(e){return new this.constructor().copy(this,e)}copy(e,t=!0){if(this.name=e.name,this.up.copy(e.up),this.position.copy(e.position),this.rotation.order=e.rotation.order,this.quaternion.copy(e.quaternion),this.scale.copy(e.scale),this.matrix.copy(e.matrix),this.matrixWorld.copy(e.matrixWorld),this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrixWorldAutoUpdate=e.matrixWorldAutoUpdate,this.matrixWorldNeedsUpdate=e.matrixWorldNeedsUpdate,this.layers.mask=e.layers.mask,this.visible=e.visible,this.castShadow=e.castShadow,this.receiveShadow=e.receiveShadow,this.frustumCulled=e.frustumCulled,this.renderOrder=e.renderOrder,this.animations=e.animations.slice(),this.userData=JSON.parse(JSON.stringify(e.userData)),t===!0)for(let n=0;n<e.children.length;n++){const s=e.children[n];this.add(s.clone())}return this}}Hn.DEFAULT_UP=new Y(0,1,0);Hn.DEFAULT_MATRIX_AUTO_UPDATE=!0;Hn.DEFAULT_MATRIX_WORLD_AUTO_UPDATE=!0;const ri=new Y,Pi=new Y,ll=new Y,Li=new Y,er=new Y,tr=new Y,nh=new Y,cl=new Y,ul=new Y,hl=new Y;class Si{constructor(e=new Y,t=new Y,n=new Y){this.a=e,this.b=t,this.c=n}static getNormal(e,t,n,s){s.subVectors(n,t),ri.subVectors(e,t),s.cross(ri);const r=s.lengthSq();return r>0?s.multiplyScalar(1/Math.sqrt(r)):s.set(0,0,0)}static getBarycoord(e,t,n,s,r){ri.subVectors(s,t),Pi.subVectors(n,t),ll.subVectors(e,t);const o=ri.dot(ri),a=ri.dot(Pi),l=ri.dot(ll),c=Pi.dot(Pi),u=Pi.dot(ll),h=o*c-a*a;if(h===0)return r.set(0,0,0),null;const f=1/h,p=(c*l-a*u)*f,_=(o*u-a*l)*f;return r.set(1-p-_,_,p)}static containsPoint(e,t,n,s){return this.getBarycoord(e,t,n,s,Li)===null?!1:Li.x>=0&&Li.y>=0&&Li.x+Li.y<=1}static getInterpolation(e,t,n,s,r,o,a,l){return this.getBarycoord(e,t,n,s,Li)===null?(l.x=0,l.y=0,"z"in l&&(l.z=0),"w"in l&&(l.w=0),null):(l.setScalar(0),l.addScaledVector(r,Li.x),l.addScaledVector(o,Li.y),l.addScaledVector(a,Li.z),l)}static isFrontFacing(e,t,n,s){return ri.subVectors(n,t),Pi.subVectors(e,t),ri.cross(Pi).dot(s)<0}set(e,t,n){return this.a.copy(e),this.b.copy(t),this.c.copy(n),this}setFromPointsAndIndices(e,t,n,s){return this.a.copy(e[t]),this.b.copy(e[n]),this.c.copy(e[s]),this}setFromAttributeAndIndices(e,t,n,s){return this.a.fromBufferAttribute(e,t),this.b.fromBufferAttribute(e,n),this.c.fromBufferAttribute(e,s),this}clone(){return new this.constructor().copy(this)}copy(e){return this.a.copy(e.a),this.b.copy(e.b),this.c.copy(e.c),this}getArea(){return ri.subVectors(this.c,this.b),Pi.subVectors(this.a,this.b),ri.cross(Pi).length()*.5}getMidpoint(e){return e.addVectors(this.a,this.b).add(this.c).multiplyScalar(1/3)}getNormal(e){return Si.getNormal(this.a,this.b,this.c,e)}getPlane(e){return e.setFromCoplanarPoints(this.a,this.b,this.c)}getBarycoord(e,t){return Si.getBarycoord(e,this.a,this.b,this.c,t)}getInterpolation(e,t,n,s,r){return Si.getInterpolation(e,this.a,this.b,this.c,t,n,s,r)}containsPoint(e){return Si.containsPoint(e,this.a,this.b,this.c)}isFrontFacing(e){return Si.isFrontFacing(this.a,this.b,this.c,e)}intersectsBox(e){return e.intersectsTriangle(this)}closestPointToPoint(e,t){const n=this.a,s=this.b,r=this.c;let o,a;er.subVectors(s,n),tr.subVectors(r,n),cl.subVectors(e,n);const l=er.dot(cl),c=tr.dot(cl);if(l<=0&&c<=0)return t.copy(n);ul.subVectors(e,s);const u=er.dot(ul),h=tr.dot(ul);if(u>=0&&h<=u)return t.copy(s);const f=l*h-u*c;if(f<=0&&l>=0&&u<=0)return o=l/(l-u),t.copy(n).addScaledVector(er,o);hl.subVectors(e,r);const p=er.dot(hl),_=tr.dot(hl);if(_>=0&&p<=_)return t.copy(r);const x=p*c-l*_;if(x<=0&&c>=0&&_<=0)return a=c/(c-_),t.copy(n).addScaledVector(tr,a);const m=u*_-p*h;if(m<=0&&h-u>=0&&p-_>=0)return nh.subVectors(r,s),a=(h-u)/(h-u+(p-_)),t.copy(s).addScaledVector(nh,a);const d=1/(m+x+f);return o=x*d,a=f*d,t.copy(n).addScaledVector(er,o).addScaledVector(tr,a)}equals(e){return e.a.equals(this.a)&&e.b.equals(this.b)&&e.c.equals(this.c)}}const _d={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074},qi={h:0,s:0,l:0},Ro={h:0,s:0,l:0};function fl(i,e,t){return t<0&&(t+=1),t>1&&(t-=1),t<1/6?i+(e-i)*6*t:t<1/2?e:t<2/3?i+(e-i)*6*(2/3-t):i}class St{constructor(e,t,n){return this.isColor=!0,this.r=1,this.g=1,this.b=1,this.set(e,t,n)}set(e,t,n){if(t===void 0&&n===void 0){const s=e;s&&s.isColor?this.copy(s):typeof s=="number"?this.setHex(s):typeof s=="string"&&this.setStyle(s)}else this.setRGB(e,t,n);return this}setScalar(e){return this.r=e,this.g=e,this.b=e,this}setHex(e,t=xi){return e=Math.floor(e),this.r=(e>>16&255)/255,this.g=(e>>8&255)/255,this.b=(e&255)/255,vt.toWorkingColorSpace(this,t),this}setRGB(e,t,n,s=vt.workingColorSpace){return this.r=e,this.g=t,this.b=n,vt.toWorkingColorSpace(this,s),this}setHSL(e,t,n,s=vt.workingColorSpace){if(e=hg(e,1),t=hn(t,0,1),n=hn(n,0,1),t===0)this.r=this.g=this.b=n;else{const r=n<=.5?n*(1+t):n+t-n*t,o=2*n-r;this.r=fl(o,r,e+1/3),this.g=fl(o,r,e),this.b=fl(o,r,e-1/3)}return vt.toWorkingColorSpace(this,s),this}setStyle(e,t=xi){function n(r){r!==void 0&&parseFloat(r)<1&&console.warn("THREE.Color: Alpha component of "+e+" will be ignored.")}let s;if(s=/^(\w+)\(([^\)]*)\)/.exec(e)){let r;const o=s[1],a=s[2];switch(o){case"rgb":case"rgba":if(r=/^\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(255,parseInt(r[1],10))/255,Math.min(255,parseInt(r[2],10))/255,Math.min(255,parseInt(r[3],10))/255,t);if(r=/^\s*(\d+)\%\s*,\s*(\d+)\%\s*,\s*(\d+)\%\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(100,parseInt(r[1],10))/100,Math.min(100,parseInt(r[2],10))/100,Math.min(100,parseInt(r[3],10))/100,t);break;case"hsl":case"hsla":if(r=/^\s*(\d*\.?\d+)\s*,\s*(\d*\.?\d+)\%\s*,\s*(\d*\.?\d+)\%\s*(?:,\s*(\d*\.?\d+)\s*)?$/.exec(a))return n(r[4]),this.setHSL(parseFloat(r[1])/360,parseFloat(r[2])/100,parseFloat(r[3])/100,t);break;default:console.warn("THREE.Color: Unknown color model "+e)}}else if(s=/^\#([A-Fa-f\d]+)$/.exec(e)){const r=s[1],o=r.length;if(o===3)return this.setRGB(parseInt(r.charAt(0),16)/15,parseInt(r.charAt(1),16)/15,parseInt(r.charAt(2),16)/15,t);if(o===6)return this.setHex(parseInt(r,16),t);console.warn("THREE.Color: Invalid hex color "+e)}else if(e&&e.length>0)return this.setColorName(e,t);return this}setColorName(e,t=xi){const n=_d[e.toLowerCase()];return n!==void 0?this.setHex(n,t):console.warn("THREE.Color: Unknown color "+e),this}clone(){return new this.constructor(this.r,this.g,this.b)}copy(e){return this.r=e.r,this.g=e.g,this.b=e.b,this}copySRGBToLinear(e){return this.r=gr(e.r),this.g=gr(e.g),this.b=gr(e.b),this}copyLinearToSRGB(e){return this.r=Qa(e.r),this.g=Qa(e.g),this.b=Qa(e.b),this}convertSRGBToLinear(){return this.copySRGBToLinear(this),this}convertLinearToSRGB(){return this.copyLinearToSRGB(this),this}getHex(e=xi){return vt.fromWorkingColorSpace(mn.copy(this),e),Math.round(hn(mn.r*255,0,255))*65536+Math.round(hn(mn.g*255,0,255))*256+Math.round(hn(mn.b*255,0,255))}getHexString(e=xi){return("000000"+this.getHex(e).toString(16)).slice(-6)}getHSL(e,t=vt.workingColorSpace){vt.fromWorkingColorSpace(mn.copy(this),t);const n=mn.r,s=mn.g,r=mn.b,o=Math.max(n,s,r),a=Math.min(n,s,r);let l,c;const u=(a+o)/2;if(a===o)l=0,c=0;else{const h=o-a;switch(c=u<=.5?h/(o+a):h/(2-o-a),o){case n:l=(s-r)/h+(s<r?6:0);break;case s:l=(r-n)/h+2;break;case r:l=(n-s)/h+4;break}l/=6}return e.h=l,e.s=c,e.l=u,e}getRGB(e,t=vt.workingColorSpace){return vt.fromWorkingColorSpace(mn.copy(this),t),e.r=mn.r,e.g=mn.g,e.b=mn.b,e}getStyle(e=xi){vt.fromWorkingColorSpace(mn.copy(this),e);const t=mn.r,n=mn.g,s=mn.b;return e!==xi?`color(${e} ${t.toFixed(3)} ${n.toFixed(3)} ${s.toFixed(3)})`:`rgb(${Math.round(t*255)},${Math.round(n*255)},${Math.round(s*255)})`}offsetHSL(e,t,n){return this.getHSL(qi),this.setHSL(qi.h+e,qi.s+t,qi.l+n)}add(e){return this.r+=e.r,this.g+=e.g,this.b+=e.b,this}addColors(e,t){return this.r=e.r+t.r,this.g=e.g+t.g,this.b=e.b+t.b,this}addScalar(e){return this.r+=e,this.g+=e,this.b+=e,this}sub(e){return this.r=Math.max(0,this.r-e.r),this.g=Math.max(0,this.g-e.g),this.b=Math.max(0,this.b-e.b),this}multiply(e){return this.r*=e.r,this.g*=e.g,this.b*=e.b,this}multiplyScalar(e){return this.r*=e,this.g*=e,this.b*=e,this}lerp(e,t){return this.r+=(e.r-this.r)*t,this.g+=(e.g-this.g)*t,this.b+=(e.b-this.b)*t,this}lerpColors(e,t,n){return this.r=e.r+(t.r-e.r)*n,this.g=e.g+(t.g-e.g)*n,this.b=e.b+(t.b-e.b)*n,this}lerpHSL(e,t){this.getHSL(qi),e.getHSL(Ro);const n=Za(qi.h,Ro.h,t),s=Za(qi.s,Ro.s,t),r=Za(qi.l,Ro.l,t);return this.setHSL(n,s,r),this}setFromVector3(e){return this.r=e.x,this.g=e.y,this.b=e.z,this}applyMatrix3(e){const t=this.r,n=this.g,s=this.b,r=e.elements;return this.r=r[0]*t+r[3]*n+r[6]*s,this.g=r[1]*t+r[4]*n+r[7]*s,this.b=r[2]*t+r[5]*n+r[8]*s,this}equals(e){return e.r===this.r&&e.g===this.g&&e.b===this.b}fromArray(e,t=0){return this.r=e[t],this.g=e[t+1],this.b=e[t+2],this}toArray(e=[],t=0){return e[t]=this.r,e[t+1]=this.g,e[t+2]=this.b,e}fromBufferAttribute(e,t){return this.r=e.getX(t),this.g=e.getY(t),this.b=e.getZ(t),this}toJSON(){return this.getHex()}*[Symbol.iterator](){yield this.r,yield this.g,yield this.b}}const mn=new St;St.NAMES=_d;let Rg=0;class ga extends Ps{constructor(){super(),this.isMaterial=!0,Object.defineProperty(this,"id",{value:Rg++}),this.uuid=lo(),this.name="",this.type="Material",this.blending=pr,this.side=is,this.vertexColors=!1,this.opacity=1,this.transparent=!1,this.alphaHash=!1,this.blendSrc=Wl,this.blendDst=$l,this.blendEquation=xs,this.blendSrcAlpha=null,this.blendDstAlpha=null,this.blendEquationAlpha=null,this.blendColor=new St(0,0,0),this.blendAlpha=0,this.depthFunc=ta,this.depthTest=!0,this.depthWrite=!0,this.stencilWriteMask=255,this.stencilFunc=Vu,this.stencilRef=0,this.stencilFuncMask=255,this.stencilFail=Xs,this.stencilZFail=Xs,this.stencilZPass=Xs,this.stencilWrite=!1,this.clippingPlanes=null,this.clipIntersection=!1,this.clipShadows=!1,this.shadowSide=null,this.colorWrite=!0,this.precision=null,this.polygonOffset=!1,this.polygonOffsetFactor=0,this.polygonOffsetUnits=0,this.dithering=!1,this.alphaToCoverage=!1,this.premultipliedAlpha=!1,this.forceSinglePass=!1,this.visible=!0,this.toneMapped=!0,this.userData={},this.version=0,this._alphaTest=0}get alphaTest(){return this._alphaTest}set alphaTest(e){this._alphaTest>0!=e>0&&this.version++,this._alphaTest=e}onBuild(){}onBeforeRender(){}onBeforeCompile(){}customProgramCacheKey(){return this.onBeforeCompile.toString()}setValues(e){if(e!==void 0)for(const t in e){const n=e[t];if(n===void 0){console.warn(`THREE.Material: parameter '${t}' has value of undefined.`);continue}const s=this[t];if(s===void 0){console.warn(`THREE.Material: '${t}' is not a property of THREE.${this.type}.`);continue}s&&s.isColor?s.set(n):s&&s.isVector3&&n&&n.isVector3?s.copy(n):this[t]=n}}toJSON(e){const t=e===void 0||typeof e=="string";t&&(e={textures:{},images:{}});const n={metadata:{version:4.6,type:"Material",generator:"Material.toJSON"}};n.uuid=this.uuid,n.type=this.type,this.name!==""&&(n.name=this.name),this.color&&this.color.isColor&&(n.color=this.color.getHex()),this.roughness!==void 0&&(n.roughness=this.roughness),this.metalness!==void 0&&(n.metalness=this.metalness),this.sheen!==void 0&&(n.sheen=this.sheen),this.sheenColor&&this.sheenColor.isColor&&(n.sheenColor=this.sheenColor.getHex()),this.sheenRoughness!==void 0&&(n.sheenRoughness=this.sheenRoughness),this.emissive&&this.emissive.isColor&&(n.emissive=this.emissive.getHex()),this.emissiveIntensity!==void 0&&this.emissiveIntensity!==1&&(n.emissiveIntensity=this.emissiveIntensity),this.specular&&this.specular.isColor&&(n.specular=this.specular.getHex()),this.specularIntensity!==void 0&&(n.specularIntensity=this.specularIntensity),this.specularColor&&this.specularColor.isColor&&(n.specularColor=this.specularColor.getHex()),this.shininess!==void 0&&(n.shininess=this.shininess),this.clearcoat!==void 0&&(n.clearcoat=this.clearcoat),this.clearcoatRoughness!==void 0&&(n.clearcoatRoughness=this.clearcoatRoughness),this.clearcoatMap&&this.clearcoatMap.isTexture&&(n.clearcoatMap=this.clearcoatMap.toJSON(e).uuid),this.clearcoatRoughnessMap&&this.clearcoatRoughnessMap.isTexture&&(n.clearcoatRoughnessMap=this.clearcoatRoughnessMap.toJSON(e).uuid),this.clearcoatNormalMap&&this.clearcoatNormalMap.isTexture&&(n.clearcoatNormalMap=this.clearcoatNormalMap.toJSON(e).uuid,n.clearcoatNormalScale=this.clearcoatNormalScale.toArray()),this.dispersion!==void 0&&(n.dispersion=this.dispersion),this.iridescence!==void 0&&(n.iridescence=this.iridescence),this.iridescenceIOR!==void 0&&(n.iridescenceIOR=this.iridescenceIOR),this.iridescenceThicknessRange!==void 0&&(n.iridescenceThicknessRange=this.iridescenceThicknessRange),this.iridescenceMap&&this.iridescenceMap.isTexture&&(n.iridescenceMap=this.iridescenceMap.toJSON(e).uuid),this.iridescenceThicknessMap&&this.iridescenceThicknessMap.isTexture&&(n.iridescenceThicknessMap=this.iridescenceThicknessMap.toJSON(e).uuid),this.anisotropy!==void 0&&(n.anisotropy=this.anisotropy),this.anisotropyRotation!==void 0&&(n.anisotropyRotation=this.anisotropyRotation),this.anisotropyMap&&this.anisotropyMap.isTexture&&(n.anisotropyMap=this.anisotropyMap.toJSON(e).uuid),this.map&&this.map.isTexture&&(n.map=this.map.toJSON(e).uuid),this.matcap&&this.matcap.isTexture&&(n.matcap=this.matcap.toJSON(e).uuid),this.alphaMap&&this.alphaMap.isTexture&&(n.alphaMap=this.alphaMap.toJSON(e).uuid),this.lightMap&&this.lightMap.isTexture&&(n.lightMap=this.lightMap.toJSON(e).uuid,n.lightMapIntensity=this.lightMapIntensity),this.aoMap&&this.aoMap.isTexture&&(n.aoMap=this.aoMap.toJSON(e).uuid,n.aoMapIntensity=this.aoMapIntensity),this.bumpMap&&this.bumpMap.isTexture&&(n.bumpMap=this.bumpMap.toJSON(e).uuid,n.bumpScale=this.bumpScale),this.normalMap&&this.normalMap.isTexture&&(n.normalMap=this.normalMap.toJSON(e).uuid,n.normalMapType=this.normalMapType,n.normalScale=this.normalScale.toArray()),this.displacementMap&&this.displacementMap.isTexture&&(n.displacementMap=this.displacementMap.toJSON(e).uuid,n.displacementScale=this.displacementScale,n.displacementBias=this.displacementBias),this.roughnessMap&&this.roughnessMap.isTexture&&(n.roughnessMap=this.roughnessMap.toJSON(e).uuid),this.metalnessMap&&this.metalnessMap.isTexture&&(n.metalnessMap=this.metalnessMap.toJSON(e).uuid),this.emissiveMap&&this.emissiveMap.isTexture&&(n.emissiveMap=this.emissiveMap.toJSON(e).uuid),this.specularMap&&this.specularMap.isTexture&&(n.specularMap=this.specularMap.toJSON(e).uuid),this.specularIntensityMap&&this.specularIntensityMap.isTexture&&(n.specularIntensityMap=this.specularIntensityMap.toJSON(e).uuid),this.specularColorMap&&this.specularColorMap.isTexture&&(n.specularColorMap=this.specularColorMap.toJSON(e).uuid),this.envMap&&this.envMap.isTexture&&(n.envMap=this.envMap.toJSON(e).uuid,this.combine!==void 0&&(n.combine=this.combine)),this.envMapRotation!==void 0&&(n.envMapRotation=this.envMapRotation.toArray()),this.envMapIntensity!==void 0&&(n.envMapIntensity=this.envMapIntensity),this.reflectivity!==void 0&&(n.reflectivity=this.reflectivity),this.refractionRatio!==void 0&&(n.refractionRatio=this.refractionRatio),this.gradientMap&&this.gradientMap.isTexture&&(n.gradientMap=this.gradientMap.toJSON(e).uuid),this.transmission!==void 0&&(n.transmission=this.transmission),this.transmissionMap&&this.transmissionMap.isTexture&&(n.transmissionMap=this.transmissionMap.toJSON(e).uuid),this.thickness!==void 0&&(n.thickness=this.thickness),this.thicknessMap&&this.thicknessMap.isTexture&&(n.thicknessMap=this.thicknessMap.toJSON(e).uuid),this.attenuationDistance!==void 0&&this.attenuationDistance!==1/0&&(n.attenuationDistance=this.attenuationDistance),this.attenuationColor!==void 0&&(n.attenuationColor=this.attenuationColor.getHex()),this.size!==void 0&&(n.size=this.size),this.shadowSide!==null&&(n.shadowSide=this.shadowSide),this.sizeAttenuation!==void 0&&(n.sizeAttenuation=this.sizeAttenuation),this.blending!==pr&&(n.blending=this.blending),this.side!==is&&(n.side=this.side),this.vertexColors===!0&&(n.vertexColors=!0),this.opacity<1&&(n.opacity=this.opacity),this.transparent===!0&&(n.transparent=!0),this.blendSrc!==Wl&&(n.blendSrc=this.blendSrc),this.blendDst!==$l&&(n.blendDst=this.blendDst),this.blendEquation!==xs&&(n.blendEquation=this.blendEquation),this.blendSrcAlpha!==null&&(n.blendSrcAlpha=this.blendSrcAlpha),this.blendDstAlpha!==null&&(n.blendDstAlpha=this.blendDstAlpha),this.blendEquationAlpha!==null&&(n.blendEquationAlpha=this.blendEquationAlpha),this.blendColor&&this.blendColor.isColor&&(n.blendColor=this.blendColor.getHex()),this.blendAlpha!==0&&(n.blendAlpha=this.blendAlpha),this.depthFunc!==ta&&(n.depthFunc=this.depthFunc),this.depthTest===!1&&(n.depthTest=this.depthTest),this.depthWrite===!1&&(n.depthWrite=this.depthWrite),this.colorWrite===!1&&(n.colorWrite=this.colorWrite),this.stencilWriteMask!==255&&(n.stencilWriteMask=this.stencilWriteMask),this.stencilFunc!==Vu&&(n.stencilFunc=this.stencilFunc),this.stencilRef!==0&&(n.stencilRef=this.stencilRef),this.stencilFuncMask!==255&&(n.stencilFuncMask=this.stencilFuncMask),this.stencilFail!==Xs&&(n.stencilFail=this.stencilFail),this.stencilZFail!==Xs&&(n.stencilZFail=this.stencilZFail),this.stencilZPass!==Xs&&(n.stencilZPass=this.stencilZPass),this.stencilWrite===!0&&(n.stencilWrite=this.stencilWrite),this.rotation!==void 0&&this.rotation!==0&&(n.rotation=this.rotation),this.polygonOffset===!0&&(n.polygonOffset=!0),this.polygonOffsetFactor!==0&&(n.polygonOffsetFactor=this.polygonOffsetFactor),this.polygonOffsetUnits!==0&&(n.polygonOffsetUnits=this.polygonOffsetUnits),this.linewidth!==void 0&&this.linewidth!==1&&(n.linewidth=this.linewidth),this.dashSize!==void 0&&(n.dashSize=this.dashSize),this.gapSize!==void 0&&(n.gapSize=this.gapSize),this.scale!==void 0&&(n.scale=this.scale),this.dithering===!0&&(n.dithering=!0),this.alphaTest>0&&(n.alphaTest=this.alphaTest),this.alphaHash===!0&&(n.alphaHash=!0),this.alphaToCoverage===!0&&(n.alphaToCoverage=!0),this.premultipliedAlpha===!0&&(n.premultipliedAlpha=!0),this.forceSinglePass===!0&&(n.forceSinglePass=!0),this.wireframe===!0&&(n.wireframe=!0),this.wireframeLinewidth>1&&(n.wireframeLinewidth=this.wireframeLinewidth),this.wireframeLinecap!=="round"&&(n.wireframeLinecap=this.wireframeLinecap),this.wireframeLinejoin!=="round"&&(n.wireframeLinejoin=this.wireframeLinejoin),this.flatShading===!0&&(n.flatShading=!0),this.visible===!1&&(n.visible=!1),this.toneMapped===!1&&(n.toneMapped=!1),this.fog===!1&&(n.fog=!1),Object.keys(this.userData).length>0&&(n.userData=this.userData);function s(r){const o=[];for(const a in r){const l=r[a];delete l.metadata,o.push(l)}return o}if(t){const r=s(e.textures),o=s(e.images);r.length>0&&(n.textures=r),o.length>0&&(n.images=o)}return n}clone(){return new this.constructor().copy(this)}copy(e){this.name=e.name,this.blending=e.blending,this.side=e.side,this.vertexColors=e.vertexColors,this.opacity=e.opacity,this.transparent=e.transparent,this.blendSrc=e.blendSrc,this.blendDst=e.blendDst,this.blendEquation=e.blendEquation,this.blendSrcAlpha=e.blendSrcAlpha,this.blendDstAlpha=e.blendDstAlpha,this.blendEquationAlpha=e.blendEquationAlpha,this.blendColor.copy(e.blendColor),this.blendAlpha=e.blendAlpha,this.depthFunc=e.depthFunc,this.depthTest=e.depthTest,this.depthWrite=e.depthWrite,this.stencilWriteMask=e.stencilWriteMask,this.stencilFunc=e.stencilFunc,this.stencilRef=e.stencilRef,this.stencilFuncMask=e.stencilFuncMask,this.stencilFail=e.stencilFail,this.stencilZFail=e.stencilZFail,this.stencilZPass=e.stencilZPass,this.stencilWrite=e.stencilWrite;const t=e.clippingPlanes;let n=null;if(t!==null){const s=t.length;n=new Array(s);for(let r=0;r!==s;++r)n[r]=t[r].clone()}return this.clippingPlanes=n,this.clipIntersection=e.clipIntersection,this.clipShadows=e.clipShadows,this.shadowSide=e.shadowSide,this.colorWrite=e.colorWrite,this.precision=e.precision,this.polygonOffset=e.polygonOffset,this.polygonOffsetFactor=e.polygonOffsetFactor,this.polygonOffsetUnits=e.polygonOffsetUnits,this.dithering=e.dithering,this.alphaTest=e.alphaTest,this.alphaHash=e.alphaHash,this.alphaToCoverage=e.alphaToCoverage,this.premultipliedAlpha=e.premultipliedAlpha,this.forceSinglePass=e.forceSinglePass,this.visible=e.visible,this.toneMapped=e.toneMapped,this.userData=JSON.parse(JSON.stringify(e.userData)),this}dispose(){this.dispatchEvent({type:"dispose"})}set needsUpdate(e){e===!0&&this.version++}}class aa extends ga{constructor(e){super(),this.isMeshBasicMaterial=!0,this.type="MeshBasicMaterial",this.color=new St(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new Fi,this.combine=sd,this.reflectivity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.color.copy(e.color),this.map=e.map,this.lightMap=e.lightMap,this.lightMapIntensity=e.lightMapIntensity,this.aoMap=e.aoMap,this.aoMapIntensity=e.aoMapIntensity,this.specularMap=e.specularMap,this.alphaMap=e.alphaMap,this.envMap=e.envMap,this.envMapRotation.copy(e.envMapRotation),this.combine=e.combine,this.reflectivity=e.reflectivity,this.refractionRatio=e.refractionRatio,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.wireframeLinecap=e.wireframeLinecap,this.wireframeLinejoin=e.wireframeLinejoin,this.fog=e.fog,this}}const $t=new Y,Co=new ze;class An{constructor(e,t,n=!1){if(Array.isArray(e))throw new TypeError("THREE.BufferAttribute: array should be a Typed Array.");this.isBufferAttribute=!0,this.name="",this.array=e,this.itemSize=t,this.count=e!==void 0?e.length/t:0,this.normalized=n,this.usage=Gu,this._updateRange={offset:0,count:-1},this.updateRanges=[],this.gpuType=es,this.version=0}onUploadCallback(){}set needsUpdate(e){e===!0&&this.version++}get updateRange(){return pg("THREE.BufferAttribute: updateRange() is deprecated and will be removed in r169. Use addUpdateRange() instead."),this._updateRange}setUsage(e){return this.usage=e,this}addUpdateRange(e,t){this.updateRanges.push({start:e,count:t})}clearUpdateRanges(){this.updateRanges.length=0}copy(e){return this.name=e.name,this.array=new e.array.constructor(e.array),this.itemSize=e.itemSize,this.count=e.count,this.normalized=e.normalized,this.usage=e.usage,this.gpuType=e.gpuType,this}copyAt(e,t,n){e*=this.itemSize,n*=t.itemSize;for(let s=0,r=this.itemSize;s<r;s++)this.array[e+s]=t.array[n+s];return this}copyArray(e){return this.array.set(e),this}applyMatrix3(e){if(this.itemSize===2)for(let t=0,n=this.count;t<n;t++)Co.fromBufferAttribute(this,t),Co.applyMatrix3(e),this.setXY(t,Co.x,Co.y);else if(this.itemSize===3)for(let t=0,n=this.count;t<n;t++)$t.fromBufferAttribute(this,t),$t.applyMatrix3(e),this.setXYZ(t,$t.x,$t.y,$t.z);return this}applyMatrix4(e){for(let t=0,n=this.count;t<n;t++)$t.fromBufferAttribute(this,t),$t.applyMatrix4(e),this.setXYZ(t,$t.x,$t.y,$t.z);return this}applyNormalMatrix(e){for(let t=0,n=this.count;t<n;t++)$t.fromBufferAttribute(this,t),$t.applyNormalMatrix(e),this.setXYZ(t,$t.x,$t.y,$t.z);return this}transformDirection(e){for(let t=0,n=this.count;t<n;t++)$t.fromBufferAttribute(this,t),$t.transformDirection(e),this.setXYZ(t,$t.x,$t.y,$t.z);return this}set(e,t=0){return this.array.set(e,t),this}getComponent(e,t){let n=this.array[e*this.itemSize+t];return this.normalized&&(n=Br(n,this.array)),n}setComponent(e,t,n){return this.normalized&&(n=Cn(n,this.array)),this.array[e*this.itemSize+t]=n,this}getX(e){let t=this.array[e*this.itemSize];return this.normalized&&(t=Br(t,this.array)),t}setX(e,t){return this.normalized&&(t=Cn(t,this.array)),this.array[e*this.itemSize]=t,this}getY(e){let t=this.array[e*this.itemSize+1];return this.normalized&&(t=Br(t,this.array)),t}setY(e,t){return this.normalized&&(t=Cn(t,this.array)),this.array[e*this.itemSize+1]=t,this}getZ(e){let t=this.array[e*this.itemSize+2];return this.normalized&&(t=Br(t,this.array)),t}setZ(e,t){return this.normalized&&(t=Cn(t,this.array)),this.array[e*this.itemSize+2]=t,this}getW(e){let t=this.array[e*this.itemSize+3];return this.normalized&&(t=Br(t,this.array)),t}setW(e,t){return this.normalized&&(t=Cn(t,this.array)),this.array[e*this.itemSize+3]=t,this}setXY(e,t,n){return e*=this.itemSize,this.normalized&&(t=Cn(t,this.array),n=Cn(n,this.array)),this.array[e+0]=t,this.array[e+1]=n,this}setXYZ(e,t,n,s){return e*=this.itemSize,this.normalized&&(t=Cn(t,this.array),n=Cn(n,this.array),s=Cn(s,this.array)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this}setXYZW(e,t,n,s,r){return e*=this.itemSize,this.normalized&&(t=Cn(t,this.array),n=Cn(n,this.array),s=Cn(s,this.array),r=Cn(r,this.array)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this.array[e+3]=r,this}onUpload(e){return this.onUploadCallback=e,this}clone(){return new this.constructor(this.array,this.itemSize).copy(this)}toJSON(){const e={itemSize:this.itemSize,type:this.array.constructor.name,array:Array.from(this.array),normalized:this.normalized};return this.name!==""&&(e.name=this.name),this.usage!==Gu&&(e.usage=this.usage),e}}class vd extends An{constructor(e,t,n){super(new Uint16Array(e),t,n)}}class xd extends An{constructor(e,t,n){super(new Uint32Array(e),t,n)}}class Vn extends An{constructor(e,t,n){super(new Float32Array(e),t,n)}}let Cg=0;const qn=new zt,dl=new Hn,nr=new Y,Bn=new co,Gr=new co,an=new Y;class di extends Ps{constructor(){super(),this.isBufferGeometry=!0,Object.defineProperty(this,"id",{value:Cg++}),this.uuid=lo(),this.name="",this.type="BufferGeometry",this.index=null,this.attributes={},this.morphAttributes={},this.morphTargetsRelative=!1,this.groups=[],this.boundingBox=null,this.boundingSphere=null,this.drawRange={start:0,count:1/0},this.userData={}}getIndex(){return this.index}setIndex(e){return Array.isArray(e)?this.index=new(pd(e)?xd:vd)(e,1):this.index=e,this}getAttribute(e){return this.attributes[e]}setAttribute(e,t){return this.attributes[e]=t,this}deleteAttribute(e){return delete this.attributes[e],this}hasAttribute(e){return this.attributes[e]!==void 0}addGroup(e,t,n=0){this.groups.push({start:e,count:t,materialIndex:n})}clearGroups(){this.groups=[]}setDrawRange(e,t){this.drawRange.start=e,this.drawRange.count=t}applyMatrix4(e){const t=this.attributes.position;t!==void 0&&(t.applyMatrix4(e),t.needsUpdate=!0);const n=this.attributes.normal;if(n!==void 0){const r=new rt().getNormalMatrix(e);n.applyNormalMatrix(r),n.needsUpdate=!0}const s=this.attributes.tangent;return s!==void 0&&(s.transformDirection(e),s.needsUpdate=!0),this.boundingBox!==null&&this.computeBoundingBox(),this.boundingSphere!==null&&this.computeBoundingSphere(),this}applyQuaternion(e){return qn.makeRotationFromQuaternion(e),this.applyMatrix4(qn),this}rotateX(e){return qn.makeRotationX(e),this.applyMatrix4(qn),this}rotateY(e){return qn.makeRotationY(e),this.applyMatrix4(qn),this}rotateZ(e){return qn.makeRotationZ(e),this.applyMatrix4(qn),this}translate(e,t,n){return qn.makeTranslation(e,t,n),this.applyMatrix4(qn),this}scale(e,t,n){return qn.makeScale(e,t,n),this.applyMatrix4(qn),this}lookAt(e){return dl.lookAt(e),dl.updateMatrix(),this.applyMatrix4(dl.matrix),this}center(){return this.computeBoundingBox(),this.boundingBox.getCenter(nr).negate(),this.translate(nr.x,nr.y,nr.z),this}setFromPoints(e){const t=[];for(let n=0,s=e.length;n<s;n++){const r=e[n];t.push(r.x,r.y,r.z||0)}return this.setAttribute("position",new Vn(t,3)),this}computeBoundingBox(){this.boundingBox===null&&(this.boundingBox=new co);const e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){console.error("THREE.BufferGeometry.computeBoundingBox(): GLBufferAttribute requires a manual bounding box.",this),this.boundingBox.set(new Y(-1/0,-1/0,-1/0),new Y(1/0,1/0,1/0));return}if(e!==void 0){if(this.boundingBox.setFromBufferAttribute(e),t)for(let n=0,s=t.length;n<s;n++){const r=t[n];Bn.setFromBufferAttribute(r),this.morphTargetsRelative?(an.addVectors(this.boundingBox.min,Bn.min),this.boundingBox.expandByPoint(an),an.addVectors(this.boundingBox.max,Bn.max),this.boundingBox.expandByPoint(an)):(this.boundingBox.expandByPoint(Bn.min),this.boundingBox.expandByPoint(Bn.max))}}else this.boundingBox.makeEmpty();(isNaN(this.boundingBox.min.x)||isNaN(this.boundingBox.min.y)||isNaN(this.boundingBox.min.z))&&console.error('THREE.BufferGeometry.computeBoundingBox(): Computed min/max have NaN values. The "position" attribute is likely to have NaN values.',this)}computeBoundingSphere(){this.boundingSphere===null&&(this.boundingSphere=new gc);const e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){console.error("THREE.BufferGeometry.computeBoundingSphere(): GLBufferAttribute requires a manual bounding sphere.",this),this.boundingSphere.set(new Y,1/0);return}if(e){const n=this.boundingSphere.center;if(Bn.setFromBufferAttribute(e),t)for(let r=0,o=t.length;r<o;r++){const a=t[r];Gr.setFromBufferAttribute(a),this.morphTargetsRelative?(an.addVectors(Bn.min,Gr.min),Bn.expandByPoint(an),an.addVectors(Bn.max,Gr.max),Bn.expandByPoint(an)):(Bn.expandByPoint(Gr.min),Bn.expandByPoint(Gr.max))}Bn.getCenter(n);let s=0;for(let r=0,o=e.count;r<o;r++)an.fromBufferAttribute(e,r),s=Math.max(s,n.distanceToSquared(an));if(t)for(let r=0,o=t.length;r<o;r++){const a=t[r],l=this.morphTargetsRelative;for(let c=0,u=a.count;c<u;c++)an.fromBufferAttribute(a,c),l&&(nr.fromBufferAttribute(e,c),an.add(nr)),s=Math.max(s,n.distanceToSquared(an))}this.boundingSphere.radius=Math.sqrt(s),isNaN(this.boundingSphere.radius)&&console.error('THREE.BufferGeometry.computeBoundingSphere(): Computed radius is NaN. The "position" attribute is likely to have NaN values.',this)}}computeTangents(){const e=this.index,t=this.attributes;if(e===null||t.position===void 0||t.normal===void 0||t.uv===void 0){console.error("THREE.BufferGeometry: .computeTangents() failed. Missing required attributes (index, position, normal or uv)");return}const n=t.position,s=t.normal,r=t.uv;this.hasAttribute("tangent")===!1&&this.setAttribute("tangent",new An(new Float32Array(4*n.count),4));const o=this.getAttribute("tangent"),a=[],l=[];for(let U=0;U<n.count;U++)a[U]=new Y,l[U]=new Y;const c=new Y,u=new Y,h=new Y,f=new ze,p=new ze,_=new ze,x=new Y,m=new Y;function d(U,E,v){c.fromBufferAttribute(n,U),u.fromBufferAttribute(n,E),h.fromBufferAttribute(n,v),f.fromBufferAttribute(r,U),p.fromBufferAttribute(r,E),_.fromBufferAttribute(r,v),u.sub(c),h.sub(c),p.sub(f),_.sub(f);const D=1/(p.x*_.y-_.x*p.y);isFinite(D)&&(x.copy(u).multiplyScalar(_.y).addScaledVector(h,-p.y).multiplyScalar(D),m.copy(h).multiplyScalar(p.x).addScaledVector(u,-_.x).multiplyScalar(D),a[U].add(x),a[E].add(x),a[v].add(x),l[U].add(m),l[E].add(m),l[v].add(m))}let y=this.groups;y.length===0&&(y=[{start:0,count:e.count}]);for(let U=0,E=y.length;U<E;++U){const v=y[U],D=v.start,H=v.count;for(let L=D,j=D+H;L<j;L+=3)d(e.getX(L+0),e.getX(L+1),e.getX(L+2))}const M=new Y,w=new Y,V=new Y,T=new Y;function C(U){V.fromBufferAttribute(s,U),T.copy(V);const E=a[U];M.copy(E),M.sub(V.multiplyScalar(V.dot(E))).normalize(),w.crossVectors(T,E);const D=w.dot(l[U])<0?-1:1;o.setXYZW(U,M.x,M.y,M.z,D)}for(let U=0,E=y.length;U<E;++U){const v=y[U],D=v.start,H=v.count;for(let L=D,j=D+H;L<j;L+=3)C(e.getX(L+0)),C(e.getX(L+1)),C(e.getX(L+2))}}computeVertexNormals(){const e=this.index,t=this.getAttribute("position");if(t!==void 0){let n=this.getAttribute("normal");if(n===void 0)n=new An(new Float32Array(t.count*3),3),this.setAttribute("normal",n);else for(let f=0,p=n.count;f<p;f++)n.setXYZ(f,0,0,0);const s=new Y,r=new Y,o=new Y,a=new Y,l=new Y,c=new Y,u=new Y,h=new Y;if(e)for(let f=0,p=e.count;f<p;f+=3){const _=e.getX(f+0),x=e.getX(f+1),m=e.getX(f+2);s.fromBufferAttribute(t,_),r.fromBufferAttribute(t,x),o.fromBufferAttribute(t,m),u.subVectors(o,r),h.subVectors(s,r),u.cross(h),a.fromBufferAttribute(n,_),l.fromBufferAttribute(n,x),c.fromBufferAttribute(n,m),a.add(u),l.add(u),c.add(u),n.setXYZ(_,a.x,a.y,a.z),n.setXYZ(x,l.x,l.y,l.z),n.setXYZ(m,c.x,c.y,c.z)}else for(let f=0,p=t.count;f<p;f+=3)s.fromBufferAttribute(t,f+0),r.fromBufferAttribute(t,f+1),o.fromBufferAttribute(t,f+2),u.subVectors(o,r),h.subVectors(s,r),u.cross(h),n.setXYZ(f+0,u.x,u.y,u.z),n.setXYZ(f+1,u.x,u.y,u.z),n.setXYZ(f+2,u.x,u.y,u.z);this.normalizeNormals(),n.needsUpdate=!0}}normalizeNormals(){const e=this.attributes.normal;for(let t=0,n=e.count;t<n;t++)an.fromBufferAttribute(e,t),an.normalize(),e.setXYZ(t,an.x,an.y,an.z)}toNonIndexed(){function e(a,l){const c=a.array,u=a.itemSize,h=a.normalized,f=new c.constructor(l.length*u);let p=0,_=0;for(let x=0,m=l.length;x<m;x++){a.isInterleavedBufferAttribute?p=l[x]*a.data.stride+a.offset:p=l[x]*u;for(let d=0;d<u;d++)f[_++]=c[p++]}return new An(f,u,h)}if(this.index===null)return console.warn("THREE.BufferGeometry.toNonIndexed(): BufferGeometry is already non-indexed."),this;const t=new di,n=this.index.array,s=this.attributes;for(const a in s){const l=s[a],c=e(l,n);t.setAttribute(a,c)}const r=this.morphAttributes;for(const a in r){const l=[],c=r[a];for(let u=0,h=c.length;u<h;u++){const f=c[u],p=e(f,n);l.push(p)}t.morphAttributes[a]=l}t.morphTargetsRelative=this.morphTargetsRelative;const o=this.groups;for(let a=0,l=o.length;a<l;a++){const c=o[a];t.addGroup(c.start,c.count,c.materialIndex)}return t}toJSON(){const e={metadata:{version:4.6,type:"BufferGeometry",generator:"BufferGeometry.toJSON"}};if(e.uuid=this.uuid,e.type=this.type,this.name!==""&&(e.name=this.name),Object.keys(this.userData).length>0&&(e.userData=this.userData),this.parameters!==void 0){const l=this.parameters;for(const c in l)l[c]!==void 0&&(e[c]=l[c]);return e}e.data={attributes:{}};const t=this.index;t!==null&&(e.data.index={type:t.array.constructor.name,array:Array.prototype.slice.call(t.array)});const n=this.attributes;for(const l in n){const c=n[l];e.data.attributes[l]=c.toJSON(e.data)}const s={};let r=!1;for(const l in this.morphAttributes){const c=this.morphAttributes[l],u=[];for(let h=0,f=c.length;h<f;h++){const p=c[h];u.push(p.toJSON(e.data))}u.length>0&&(s[l]=u,r=!0)}r&&(e.data.morphAttributes=s,e.data.morphTargetsRelative=this.morphTargetsRelative);const o=this.groups;o.length>0&&(e.data.groups=JSON.parse(JSON.stringify(o)));const a=this.boundingSphere;return a!==null&&(e.data.boundingSphere={center:a.center.toArray(),radius:a.radius}),e}clone(){return new this.constructor().copy(this)}copy(e){this.index=null,this.attributes={},this.morphAttributes={},this.groups=[],this.boundingBox=null,this.boundingSphere=null;const t={};this.name=e.name;const n=e.index;n!==null&&this.setIndex(n.clone(t));const s=e.attributes;for(const c in s){const u=s[c];this.setAttribute(c,u.clone(t))}const r=e.morphAttributes;for(const c in r){const u=[],h=r[c];for(let f=0,p=h.length;f<p;f++)u.push(h[f].clone(t));this.morphAttributes[c]=u}this.morphTargetsRelative=e.morphTargetsRelative;const o=e.groups;for(let c=0,u=o.length;c<u;c++){const h=o[c];this.addGroup(h.start,h.count,h.materialIndex)}const a=e.boundingBox;a!==null&&(this.boundingBox=a.clone());const l=e.boundingSphere;return l!==null&&(this.boundingSphere=l.clone()),this.drawRange.start=e.drawRange.start,this.drawRange.count=e.drawRange.count,this.userData=e.userData,this}dispose(){this.dispatchEvent({type:"dispose"})}}const ih=new zt,hs=new _c,Po=new gc,sh=new Y,ir=new Y,sr=new Y,rr=new Y,pl=new Y,Lo=new Y,Do=new ze,Uo=new ze,Io=new ze,rh=new Y,oh=new Y,ah=new Y,No=new Y,Oo=new Y;class Dn extends Hn{constructor(e=new di,t=new aa){super(),this.isMesh=!0,this.type="Mesh",this.geometry=e,this.material=t,this.updateMorphTargets()}copy(e,t){return super.copy(e,t),e.morphTargetInfluences!==void 0&&(this.morphTargetInfluences=e.morphTargetInfluences.slice()),e.morphTargetDictionary!==void 0&&(this.morphTargetDictionary=Object.assign({},e.morphTargetDictionary)),this.material=Array.isArray(e.material)?e.material.slice():e.material,this.geometry=e.geometry,this}updateMorphTargets(){const t=this.geometry.morphAttributes,n=Object.keys(t);if(n.length>0){const s=t[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){const a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}getVertexPosition(e,t){const n=this.geometry,s=n.attributes.position,r=n.morphAttributes.position,o=n.morphTargetsRelative;t.fromBufferAttribute(s,e);const a=this.morphTargetInfluences;if(r&&a){Lo.set(0,0,0);for(let l=0,c=r.length;l<c;l++){const u=a[l],h=r[l];u!==0&&(pl.fromBufferAttribute(h,e),o?Lo.addScaledVector(pl,u):Lo.addScaledVector(pl.sub(t),u))}t.add(Lo)}return t}raycast(e,t){const n=this.geometry,s=this.material,r=this.matrixWorld;s!==void 0&&(n.boundingSphere===null&&n.computeBoundingSphere(),Po.copy(n.boundingSphere),Po.applyMatrix4(r),hs.copy(e.ray).recast(e.near),!(Po.containsPoint(hs.origin)===!1&&(hs.intersectSphere(Po,sh)===null||hs.origin.distanceToSquared(sh)>(e.far-e.near)**2))&&(ih.copy(r).invert(),hs.copy(e.ray).applyMatrix4(ih),!(n.boundingBox!==null&&hs.intersectsBox(n.boundingBox)===!1)&&this._computeIntersections(e,t,hs)))}_computeIntersections(e,t,n){let s;const r=this.geometry,o=this.material,a=r.index,l=r.attributes.position,c=r.attributes.uv,u=r.attributes.uv1,h=r.attributes.normal,f=r.groups,p=r.drawRange;if(a!==null)if(Array.isArray(o))for(let _=0,x=f.length;_<x;_++){const m=f[_],d=o[m.materialIndex],y=Math.max(m.start,p.start),M=Math.min(a.count,Math.min(m.start+m.count,p.start+p.count));for(let w=y,V=M;w<V;w+=3){const T=a.getX(w),C=a.getX(w+1),U=a.getX(w+2);s=Fo(this,d,e,n,c,u,h,T,C,U),s&&(s.faceIndex=Math.floor(w/3),s.face.materialIndex=m.materialIndex,t.push(s))}}else{const _=Math.max(0,p.start),x=Math.min(a.count,p.start+p.count);for(let m=_,d=x;m<d;m+=3){const y=a.getX(m),M=a.getX(m+1),w=a.getX(m+2);s=Fo(this,o,e,n,c,u,h,y,M,w),s&&(s.faceIndex=Math.floor(m/3),t.push(s))}}else if(l!==void 0)if(Array.isArray(o))for(let _=0,x=f.length;_<x;_++){const m=f[_],d=o[m.materialIndex],y=Math.max(m.start,p.start),M=Math.min(l.count,Math.min(m.start+m.count,p.start+p.count));for(let w=y,V=M;w<V;w+=3){const T=w,C=w+1,U=w+2;s=Fo(this,d,e,n,c,u,h,T,C,U),s&&(s.faceIndex=Math.floor(w/3),s.face.materialIndex=m.materialIndex,t.push(s))}}else{const _=Math.max(0,p.start),x=Math.min(l.count,p.start+p.count);for(let m=_,d=x;m<d;m+=3){const y=m,M=m+1,w=m+2;s=Fo(this,o,e,n,c,u,h,y,M,w),s&&(s.faceIndex=Math.floor(m/3),t.push(s))}}}}function Pg(i,e,t,n,s,r,o,a){let l;if(e.side===Un?l=n.intersectTriangle(o,r,s,!0,a):l=n.intersectTriangle(s,r,o,e.side===is,a),l===null)return null;Oo.copy(a),Oo.applyMatrix4(i.matrixWorld);const c=t.ray.origin.distanceTo(Oo);return c<t.near||c>t.far?null:{distance:c,point:Oo.clone(),object:i}}function Fo(i,e,t,n,s,r,o,a,l,c){i.getVertexPosition(a,ir),i.getVertexPosition(l,sr),i.getVertexPosition(c,rr);const u=Pg(i,e,t,n,ir,sr,rr,No);if(u){s&&(Do.fromBufferAttribute(s,a),Uo.fromBufferAttribute(s,l),Io.fromBufferAttribute(s,c),u.uv=Si.getInterpolation(No,ir,sr,rr,Do,Uo,Io,new ze)),r&&(Do.fromBufferAttribute(r,a),Uo.fromBufferAttribute(r,l),Io.fromBufferAttribute(r,c),u.uv1=Si.getInterpolation(No,ir,sr,rr,Do,Uo,Io,new ze)),o&&(rh.fromBufferAttribute(o,a),oh.fromBufferAttribute(o,l),ah.fromBufferAttribute(o,c),u.normal=Si.getInterpolation(No,ir,sr,rr,rh,oh,ah,new Y),u.normal.dot(n.direction)>0&&u.normal.multiplyScalar(-1));const h={a,b:l,c,normal:new Y,materialIndex:0};Si.getNormal(ir,sr,rr,h.normal),u.face=h}return u}class uo extends di{constructor(e=1,t=1,n=1,s=1,r=1,o=1){super(),this.type="BoxGeometry",this.parameters={width:e,height:t,depth:n,widthSegments:s,heightSegments:r,depthSegments:o};const a=this;s=Math.floor(s),r=Math.floor(r),o=Math.floor(o);const l=[],c=[],u=[],h=[];let f=0,p=0;_("z","y","x",-1,-1,n,t,e,o,r,0),_("z","y","x",1,-1,n,t,-e,o,r,1),_("x","z","y",1,1,e,n,t,s,o,2),_("x","z","y",1,-1,e,n,-t,s,o,3),_("x","y","z",1,-1,e,t,n,s,r,4),_("x","y","z",-1,-1,e,t,-n,s,r,5),this.setIndex(l),this.setAttribute("position",new Vn(c,3)),this.setAttribute("normal",new Vn(u,3)),this.setAttribute("uv",new Vn(h,2));function _(x,m,d,y,M,w,V,T,C,U,E){const v=w/C,D=V/U,H=w/2,L=V/2,j=T/2,q=C+1,te=U+1;let ie=0,ne=0;const fe=new Y;for(let G=0;G<te;G++){const ce=G*D-L;for(let F=0;F<q;F++){const B=F*v-H;fe[x]=B*y,fe[m]=ce*M,fe[d]=j,c.push(fe.x,fe.y,fe.z),fe[x]=0,fe[m]=0,fe[d]=T>0?1:-1,u.push(fe.x,fe.y,fe.z),h.push(F/C),h.push(1-G/U),ie+=1}}for(let G=0;G<U;G++)for(let ce=0;ce<C;ce++){const F=f+ce+q*G,B=f+ce+q*(G+1),N=f+(ce+1)+q*(G+1),W=f+(ce+1)+q*G;l.push(F,B,W),l.push(B,N,W),ne+=6}a.addGroup(p,ne,E),p+=ne,f+=ie}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new uo(e.width,e.height,e.depth,e.widthSegments,e.heightSegments,e.depthSegments)}}function yr(i){const e={};for(const t in i){e[t]={};for(const n in i[t]){const s=i[t][n];s&&(s.isColor||s.isMatrix3||s.isMatrix4||s.isVector2||s.isVector3||s.isVector4||s.isTexture||s.isQuaternion)?s.isRenderTargetTexture?(console.warn("UniformsUtils: Textures of render targets cannot be cloned via cloneUniforms() or mergeUniforms()."),e[t][n]=null):e[t][n]=s.clone():Array.isArray(s)?e[t][n]=s.slice():e[t][n]=s}}return e}function En(i){const e={};for(let t=0;t<i.length;t++){const n=yr(i[t]);for(const s in n)e[s]=n[s]}return e}function Lg(i){const e=[];for(let t=0;t<i.length;t++)e.push(i[t].clone());return e}function Md(i){const e=i.getRenderTarget();return e===null?i.outputColorSpace:e.isXRRenderTarget===!0?e.texture.colorSpace:vt.workingColorSpace}const Dg={clone:yr,merge:En};var Ug=`void main() {
	gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
}`,Ig=`void main() {
	gl_FragColor = vec4( 1.0, 0.0, 0.0, 1.0 );
}`;class Ei extends ga{constructor(e){super(),this.isShaderMaterial=!0,this.type="ShaderMaterial",this.defines={},this.uniforms={},this.uniformsGroups=[],this.vertexShader=Ug,this.fragmentShader=Ig,this.linewidth=1,this.wireframe=!1,this.wireframeLinewidth=1,this.fog=!1,this.lights=!1,this.clipping=!1,this.forceSinglePass=!0,this.extensions={clipCullDistance:!1,multiDraw:!1},this.defaultAttributeValues={color:[1,1,1],uv:[0,0],uv1:[0,0]},this.index0AttributeName=void 0,this.uniformsNeedUpdate=!1,this.glslVersion=null,e!==void 0&&this.setValues(e)}copy(e){return super.copy(e),this.fragmentShader=e.fragmentShader,this.vertexShader=e.vertexShader,this.uniforms=yr(e.uniforms),this.uniformsGroups=Lg(e.uniformsGroups),this.defines=Object.assign({},e.defines),this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.fog=e.fog,this.lights=e.lights,this.clipping=e.clipping,this.extensions=Object.assign({},e.extensions),this.glslVersion=e.glslVersion,this}toJSON(e){const t=super.toJSON(e);t.glslVersion=this.glslVersion,t.uniforms={};for(const s in this.uniforms){const o=this.uniforms[s].value;o&&o.isTexture?t.uniforms[s]={type:"t",value:o.toJSON(e).uuid}:o&&o.isColor?t.uniforms[s]={type:"c",value:o.getHex()}:o&&o.isVector2?t.uniforms[s]={type:"v2",value:o.toArray()}:o&&o.isVector3?t.uniforms[s]={type:"v3",value:o.toArray()}:o&&o.isVector4?t.uniforms[s]={type:"v4",value:o.toArray()}:o&&o.isMatrix3?t.uniforms[s]={type:"m3",value:o.toArray()}:o&&o.isMatrix4?t.uniforms[s]={type:"m4",value:o.toArray()}:t.uniforms[s]={value:o}}Object.keys(this.defines).length>0&&(t.defines=this.defines),t.vertexShader=this.vertexShader,t.fragmentShader=this.fragmentShader,t.lights=this.lights,t.clipping=this.clipping;const n={};for(const s in this.extensions)this.extensions[s]===!0&&(n[s]=!0);return Object.keys(n).length>0&&(t.extensions=n),t}}class Sd extends Hn{constructor(){super(),this.isCamera=!0,this.type="Camera",this.matrixWorldInverse=new zt,this.projectionMatrix=new zt,this.projectionMatrixInverse=new zt,this.coordinateSystem=Ii}copy(e,t){return super.copy(e,t),this.matrixWorldInverse.copy(e.matrixWorldInverse),this.projectionMatrix.copy(e.projectionMatrix),this.projectionMatrixInverse.copy(e.projectionMatrixInverse),this.coordinateSystem=e.coordinateSystem,this}getWorldDirection(e){return super.getWorldDirection(e).negate()}updateMatrixWorld(e){super.updateMatrixWorld(e),this.matrixWorldInverse.copy(this.matrixWorld).invert()}updateWorldMatrix(e,t){super.updateWorldMatrix(e,t),this.matrixWorldInverse.copy(this.matrixWorld).invert()}clone(){return new this.constructor().copy(this)}}const ji=new Y,lh=new ze,ch=new ze;class Zn extends Sd{constructor(e=50,t=1,n=.1,s=2e3){super(),this.isPerspectiveCamera=!0,this.type="PerspectiveCamera",this.fov=e,this.zoom=1,this.near=n,this.far=s,this.focus=10,this.aspect=t,this.view=null,this.filmGauge=35,this.filmOffset=0,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.fov=e.fov,this.zoom=e.zoom,this.near=e.near,this.far=e.far,this.focus=e.focus,this.aspect=e.aspect,this.view=e.view===null?null:Object.assign({},e.view),this.filmGauge=e.filmGauge,this.filmOffset=e.filmOffset,this}setFocalLength(e){const t=.5*this.getFilmHeight()/e;this.fov=Kl*2*Math.atan(t),this.updateProjectionMatrix()}getFocalLength(){const e=Math.tan(jo*.5*this.fov);return .5*this.getFilmHeight()/e}getEffectiveFOV(){return Kl*2*Math.atan(Math.tan(jo*.5*this.fov)/this.zoom)}getFilmWidth(){return this.filmGauge*Math.min(this.aspect,1)}getFilmHeight(){return this.filmGauge/Math.max(this.aspect,1)}getViewBounds(e,t,n){ji.set(-1,-1,.5).applyMatrix4(this.projectionMatrixInverse),t.set(ji.x,ji.y).multiplyScalar(-e/ji.z),ji.set(1,1,.5).applyMatrix4(this.projectionMatrixInverse),n.set(ji.x,ji.y).multiplyScalar(-e/ji.z)}getViewSize(e,t){return this.getViewBounds(e,lh,ch),t.subVectors(ch,lh)}setViewOffset(e,t,n,s,r,o){this.aspect=e/t,this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){const e=this.near;let t=e*Math.tan(jo*.5*this.fov)/this.zoom,n=2*t,s=this.aspect*n,r=-.5*s;const o=this.view;if(this.view!==null&&this.view.enabled){const l=o.fullWidth,c=o.fullHeight;r+=o.offsetX*s/l,t-=o.offsetY*n/c,s*=o.width/l,n*=o.height/c}const a=this.filmOffset;a!==0&&(r+=e*a/this.getFilmWidth()),this.projectionMatrix.makePerspective(r,r+s,t,t-n,e,this.far,this.coordinateSystem),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){const t=super.toJSON(e);return t.object.fov=this.fov,t.object.zoom=this.zoom,t.object.near=this.near,t.object.far=this.far,t.object.focus=this.focus,t.object.aspect=this.aspect,this.view!==null&&(t.object.view=Object.assign({},this.view)),t.object.filmGauge=this.filmGauge,t.object.filmOffset=this.filmOffset,t}}const or=-90,ar=1;class Ng extends Hn{constructor(e,t,n){super(),this.type="CubeCamera",this.renderTarget=n,this.coordinateSystem=null,this.activeMipmapLevel=0;const s=new Zn(or,ar,e,t);s.layers=this.layers,this.add(s);const r=new Zn(or,ar,e,t);r.layers=this.layers,this.add(r);const o=new Zn(or,ar,e,t);o.layers=this.layers,this.add(o);const a=new Zn(or,ar,e,t);a.layers=this.layers,this.add(a);const l=new Zn(or,ar,e,t);l.layers=this.layers,this.add(l);const c=new Zn(or,ar,e,t);c.layers=this.layers,this.add(c)}updateCoordinateSystem(){const e=this.coordinateSystem,t=this.children.concat(),[n,s,r,o,a,l]=t;for(const c of t)this.remove(c);if(e===Ii)n.up.set(0,1,0),n.lookAt(1,0,0),s.up.set(0,1,0),s.lookAt(-1,0,0),r.up.set(0,0,-1),r.lookAt(0,1,0),o.up.set(0,0,1),o.lookAt(0,-1,0),a.up.set(0,1,0),a.lookAt(0,0,1),l.up.set(0,1,0),l.lookAt(0,0,-1);else if(e===ra)n.up.set(0,-1,0),n.lookAt(-1,0,0),s.up.set(0,-1,0),s.lookAt(1,0,0),r.up.set(0,0,1),r.lookAt(0,1,0),o.up.set(0,0,-1),o.lookAt(0,-1,0),a.up.set(0,-1,0),a.lookAt(0,0,1),l.up.set(0,-1,0),l.lookAt(0,0,-1);else throw new Error("THREE.CubeCamera.updateCoordinateSystem(): Invalid coordinate system: "+e);for(const c of t)this.add(c),c.updateMatrixWorld()}update(e,t){this.parent===null&&this.updateMatrixWorld();const{renderTarget:n,activeMipmapLevel:s}=this;this.coordinateSystem!==e.coordinateSystem&&(this.coordinateSystem=e.coordinateSystem,this.updateCoordinateSystem());const[r,o,a,l,c,u]=this.children,h=e.getRenderTarget(),f=e.getActiveCubeFace(),p=e.getActiveMipmapLevel(),_=e.xr.enabled;e.xr.enabled=!1;const x=n.texture.generateMipmaps;n.texture.generateMipmaps=!1,e.setRenderTarget(n,0,s),e.render(t,r),e.setRenderTarget(n,1,s),e.render(t,o),e.setRenderTarget(n,2,s),e.render(t,a),e.setRenderTarget(n,3,s),e.render(t,l),e.setRenderTarget(n,4,s),e.render(t,c),n.texture.generateMipmaps=x,e.setRenderTarget(n,5,s),e.render(t,u),e.setRenderTarget(h,f,p),e.xr.enabled=_,n.texture.needsPMREMUpdate=!0}}class yd extends Tn{constructor(e,t,n,s,r,o,a,l,c,u){e=e!==void 0?e:[],t=t!==void 0?t:xr,super(e,t,n,s,r,o,a,l,c,u),this.isCubeTexture=!0,this.flipY=!1}get images(){return this.image}set images(e){this.image=e}}class Og extends As{constructor(e=1,t={}){super(e,e,t),this.isWebGLCubeRenderTarget=!0;const n={width:e,height:e,depth:1},s=[n,n,n,n,n,n];this.texture=new yd(s,t.mapping,t.wrapS,t.wrapT,t.magFilter,t.minFilter,t.format,t.type,t.anisotropy,t.colorSpace),this.texture.isRenderTargetTexture=!0,this.texture.generateMipmaps=t.generateMipmaps!==void 0?t.generateMipmaps:!1,this.texture.minFilter=t.minFilter!==void 0?t.minFilter:ui}fromEquirectangularTexture(e,t){this.texture.type=t.type,this.texture.colorSpace=t.colorSpace,this.texture.generateMipmaps=t.generateMipmaps,this.texture.minFilter=t.minFilter,this.texture.magFilter=t.magFilter;const n={uniforms:{tEquirect:{value:null}},vertexShader:`

				varying vec3 vWorldDirection;

				vec3 transformDirection( in vec3 dir, in mat4 matrix ) {

					return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );

				}

				void main() {

					vWorldDirection = transformDirection( position, modelMatrix );

					#include <begin_vertex>
					#include <project_vertex>

				}
			`,fragmentShader:`

				uniform sampler2D tEquirect;

				varying vec3 vWorldDirection;

				#include <common>

				void main() {

					vec3 direction = normalize( vWorldDirection );

					vec2 sampleUV = equirectUv( direction );

					gl_FragColor = texture2D( tEquirect, sampleUV );

				}
			`},s=new uo(5,5,5),r=new Ei({name:"CubemapFromEquirect",uniforms:yr(n.uniforms),vertexShader:n.vertexShader,fragmentShader:n.fragmentShader,side:Un,blending:ts});r.uniforms.tEquirect.value=t;const o=new Dn(s,r),a=t.minFilter;return t.minFilter===bs&&(t.minFilter=ui),new Ng(1,10,this).update(e,o),t.minFilter=a,o.geometry.dispose(),o.material.dispose(),this}clear(e,t,n,s){const r=e.getRenderTarget();for(let o=0;o<6;o++)e.setRenderTarget(this,o),e.clear(t,n,s);e.setRenderTarget(r)}}const ml=new Y,Fg=new Y,kg=new rt;class Zi{constructor(e=new Y(1,0,0),t=0){this.isPlane=!0,this.normal=e,this.constant=t}set(e,t){return this.normal.copy(e),this.constant=t,this}setComponents(e,t,n,s){return this.normal.set(e,t,n),this.constant=s,this}setFromNormalAndCoplanarPoint(e,t){return this.normal.copy(e),this.constant=-t.dot(this.normal),this}setFromCoplanarPoints(e,t,n){const s=ml.subVectors(n,t).cross(Fg.subVectors(e,t)).normalize();return this.setFromNormalAndCoplanarPoint(s,e),this}copy(e){return this.normal.copy(e.normal),this.constant=e.constant,this}normalize(){const e=1/this.normal.length();return this.normal.multiplyScalar(e),this.constant*=e,this}negate(){return this.constant*=-1,this.normal.negate(),this}distanceToPoint(e){return this.normal.dot(e)+this.constant}distanceToSphere(e){return this.distanceToPoint(e.center)-e.radius}projectPoint(e,t){return t.copy(e).addScaledVector(this.normal,-this.distanceToPoint(e))}intersectLine(e,t){const n=e.delta(ml),s=this.normal.dot(n);if(s===0)return this.distanceToPoint(e.start)===0?t.copy(e.start):null;const r=-(e.start.dot(this.normal)+this.constant)/s;return r<0||r>1?null:t.copy(e.start).addScaledVector(n,r)}intersectsLine(e){const t=this.distanceToPoint(e.start),n=this.distanceToPoint(e.end);return t<0&&n>0||n<0&&t>0}intersectsBox(e){return e.intersectsPlane(this)}intersectsSphere(e){return e.intersectsPlane(this)}coplanarPoint(e){return e.copy(this.normal).multiplyScalar(-this.constant)}applyMatrix4(e,t){const n=t||kg.getNormalMatrix(e),s=this.coplanarPoint(ml).applyMatrix4(e),r=this.normal.applyMatrix3(n).normalize();return this.constant=-s.dot(r),this}translate(e){return this.constant-=e.dot(this.normal),this}equals(e){return e.normal.equals(this.normal)&&e.constant===this.constant}clone(){return new this.constructor().copy(this)}}const fs=new gc,ko=new Y;class Ed{constructor(e=new Zi,t=new Zi,n=new Zi,s=new Zi,r=new Zi,o=new Zi){this.planes=[e,t,n,s,r,o]}set(e,t,n,s,r,o){const a=this.planes;return a[0].copy(e),a[1].copy(t),a[2].copy(n),a[3].copy(s),a[4].copy(r),a[5].copy(o),this}copy(e){const t=this.planes;for(let n=0;n<6;n++)t[n].copy(e.planes[n]);return this}setFromProjectionMatrix(e,t=Ii){const n=this.planes,s=e.elements,r=s[0],o=s[1],a=s[2],l=s[3],c=s[4],u=s[5],h=s[6],f=s[7],p=s[8],_=s[9],x=s[10],m=s[11],d=s[12],y=s[13],M=s[14],w=s[15];if(n[0].setComponents(l-r,f-c,m-p,w-d).normalize(),n[1].setComponents(l+r,f+c,m+p,w+d).normalize(),n[2].setComponents(l+o,f+u,m+_,w+y).normalize(),n[3].setComponents(l-o,f-u,m-_,w-y).normalize(),n[4].setComponents(l-a,f-h,m-x,w-M).normalize(),t===Ii)n[5].setComponents(l+a,f+h,m+x,w+M).normalize();else if(t===ra)n[5].setComponents(a,h,x,M).normalize();else throw new Error("THREE.Frustum.setFromProjectionMatrix(): Invalid coordinate system: "+t);return this}intersectsObject(e){if(e.boundingSphere!==void 0)e.boundingSphere===null&&e.computeBoundingSphere(),fs.copy(e.boundingSphere).applyMatrix4(e.matrixWorld);else{const t=e.geometry;t.boundingSphere===null&&t.computeBoundingSphere(),fs.copy(t.boundingSphere).applyMatrix4(e.matrixWorld)}return this.intersectsSphere(fs)}intersectsSprite(e){return fs.center.set(0,0,0),fs.radius=.7071067811865476,fs.applyMatrix4(e.matrixWorld),this.intersectsSphere(fs)}intersectsSphere(e){const t=this.planes,n=e.center,s=-e.radius;for(let r=0;r<6;r++)if(t[r].distanceToPoint(n)<s)return!1;return!0}intersectsBox(e){const t=this.planes;for(let n=0;n<6;n++){const s=t[n];if(ko.x=s.normal.x>0?e.max.x:e.min.x,ko.y=s.normal.y>0?e.max.y:e.min.y,ko.z=s.normal.z>0?e.max.z:e.min.z,s.distanceToPoint(ko)<0)return!1}return!0}containsPoint(e){const t=this.planes;for(let n=0;n<6;n++)if(t[n].distanceToPoint(e)<0)return!1;return!0}clone(){return new this.constructor().copy(this)}}function bd(){let i=null,e=!1,t=null,n=null;function s(r,o){t(r,o),n=i.requestAnimationFrame(s)}return{start:function(){e!==!0&&t!==null&&(n=i.requestAnimationFrame(s),e=!0)},stop:function(){i.cancelAnimationFrame(n),e=!1},setAnimationLoop:function(r){t=r},setContext:function(r){i=r}}}function Bg(i){const e=new WeakMap;function t(a,l){const c=a.array,u=a.usage,h=c.byteLength,f=i.createBuffer();i.bindBuffer(l,f),i.bufferData(l,c,u),a.onUploadCallback();let p;if(c instanceof Float32Array)p=i.FLOAT;else if(c instanceof Uint16Array)a.isFloat16BufferAttribute?p=i.HALF_FLOAT:p=i.UNSIGNED_SHORT;else if(c instanceof Int16Array)p=i.SHORT;else if(c instanceof Uint32Array)p=i.UNSIGNED_INT;else if(c instanceof Int32Array)p=i.INT;else if(c instanceof Int8Array)p=i.BYTE;else if(c instanceof Uint8Array)p=i.UNSIGNED_BYTE;else if(c instanceof Uint8ClampedArray)p=i.UNSIGNED_BYTE;else throw new Error("THREE.WebGLAttributes: Unsupported buffer data format: "+c);return{buffer:f,type:p,bytesPerElement:c.BYTES_PER_ELEMENT,version:a.version,size:h}}function n(a,l,c){const u=l.array,h=l._updateRange,f=l.updateRanges;if(i.bindBuffer(c,a),h.count===-1&&f.length===0&&i.bufferSubData(c,0,u),f.length!==0){for(let p=0,_=f.length;p<_;p++){const x=f[p];i.bufferSubData(c,x.start*u.BYTES_PER_ELEMENT,u,x.start,x.count)}l.clearUpdateRanges()}h.count!==-1&&(i.bufferSubData(c,h.offset*u.BYTES_PER_ELEMENT,u,h.offset,h.count),h.count=-1),l.onUploadCallback()}function s(a){return a.isInterleavedBufferAttribute&&(a=a.data),e.get(a)}function r(a){a.isInterleavedBufferAttribute&&(a=a.data);const l=e.get(a);l&&(i.deleteBuffer(l.buffer),e.delete(a))}function o(a,l){if(a.isGLBufferAttribute){const u=e.get(a);(!u||u.version<a.version)&&e.set(a,{buffer:a.buffer,type:a.type,bytesPerElement:a.elementSize,version:a.version});return}a.isInterleavedBufferAttribute&&(a=a.data);const c=e.get(a);if(c===void 0)e.set(a,t(a,l));else if(c.version<a.version){if(c.size!==a.array.byteLength)throw new Error("THREE.WebGLAttributes: The size of the buffer attribute's array buffer does not match the original size. Resizing buffer attributes is not supported.");n(c.buffer,a,l),c.version=a.version}}return{get:s,remove:r,update:o}}class _a extends di{constructor(e=1,t=1,n=1,s=1){super(),this.type="PlaneGeometry",this.parameters={width:e,height:t,widthSegments:n,heightSegments:s};const r=e/2,o=t/2,a=Math.floor(n),l=Math.floor(s),c=a+1,u=l+1,h=e/a,f=t/l,p=[],_=[],x=[],m=[];for(let d=0;d<u;d++){const y=d*f-o;for(let M=0;M<c;M++){const w=M*h-r;_.push(w,-y,0),x.push(0,0,1),m.push(M/a),m.push(1-d/l)}}for(let d=0;d<l;d++)for(let y=0;y<a;y++){const M=y+c*d,w=y+c*(d+1),V=y+1+c*(d+1),T=y+1+c*d;p.push(M,w,T),p.push(w,V,T)}this.setIndex(p),this.setAttribute("position",new Vn(_,3)),this.setAttribute("normal",new Vn(x,3)),this.setAttribute("uv",new Vn(m,2))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new _a(e.width,e.height,e.widthSegments,e.heightSegments)}}var zg=`#ifdef USE_ALPHAHASH
	if ( diffuseColor.a < getAlphaHashThreshold( vPosition ) ) discard;
#endif`,Hg=`#ifdef USE_ALPHAHASH
	const float ALPHA_HASH_SCALE = 0.05;
	float hash2D( vec2 value ) {
		return fract( 1.0e4 * sin( 17.0 * value.x + 0.1 * value.y ) * ( 0.1 + abs( sin( 13.0 * value.y + value.x ) ) ) );
	}
	float hash3D( vec3 value ) {
		return hash2D( vec2( hash2D( value.xy ), value.z ) );
	}
	float getAlphaHashThreshold( vec3 position ) {
		float maxDeriv = max(
			length( dFdx( position.xyz ) ),
			length( dFdy( position.xyz ) )
		);
		float pixScale = 1.0 / ( ALPHA_HASH_SCALE * maxDeriv );
		vec2 pixScales = vec2(
			exp2( floor( log2( pixScale ) ) ),
			exp2( ceil( log2( pixScale ) ) )
		);
		vec2 alpha = vec2(
			hash3D( floor( pixScales.x * position.xyz ) ),
			hash3D( floor( pixScales.y * position.xyz ) )
		);
		float lerpFactor = fract( log2( pixScale ) );
		float x = ( 1.0 - lerpFactor ) * alpha.x + lerpFactor * alpha.y;
		float a = min( lerpFactor, 1.0 - lerpFactor );
		vec3 cases = vec3(
			x * x / ( 2.0 * a * ( 1.0 - a ) ),
			( x - 0.5 * a ) / ( 1.0 - a ),
			1.0 - ( ( 1.0 - x ) * ( 1.0 - x ) / ( 2.0 * a * ( 1.0 - a ) ) )
		);
		float threshold = ( x < ( 1.0 - a ) )
			? ( ( x < a ) ? cases.x : cases.y )
			: cases.z;
		return clamp( threshold , 1.0e-6, 1.0 );
	}
#endif`,Vg=`#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, vAlphaMapUv ).g;
#endif`,Gg=`#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,Wg=`#ifdef USE_ALPHATEST
	#ifdef ALPHA_TO_COVERAGE
	diffuseColor.a = smoothstep( alphaTest, alphaTest + fwidth( diffuseColor.a ), diffuseColor.a );
	if ( diffuseColor.a == 0.0 ) discard;
	#else
	if ( diffuseColor.a < alphaTest ) discard;
	#endif
#endif`,$g=`#ifdef USE_ALPHATEST
	uniform float alphaTest;
#endif`,Xg=`#ifdef USE_AOMAP
	float ambientOcclusion = ( texture2D( aoMap, vAoMapUv ).r - 1.0 ) * aoMapIntensity + 1.0;
	reflectedLight.indirectDiffuse *= ambientOcclusion;
	#if defined( USE_CLEARCOAT ) 
		clearcoatSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_SHEEN ) 
		sheenSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD )
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		reflectedLight.indirectSpecular *= computeSpecularOcclusion( dotNV, ambientOcclusion, material.roughness );
	#endif
#endif`,Yg=`#ifdef USE_AOMAP
	uniform sampler2D aoMap;
	uniform float aoMapIntensity;
#endif`,qg=`#ifdef USE_BATCHING
	attribute float batchId;
	uniform highp sampler2D batchingTexture;
	mat4 getBatchingMatrix( const in float i ) {
		int size = textureSize( batchingTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( batchingTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( batchingTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( batchingTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( batchingTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,jg=`#ifdef USE_BATCHING
	mat4 batchingMatrix = getBatchingMatrix( batchId );
#endif`,Kg=`vec3 transformed = vec3( position );
#ifdef USE_ALPHAHASH
	vPosition = vec3( position );
#endif`,Zg=`vec3 objectNormal = vec3( normal );
#ifdef USE_TANGENT
	vec3 objectTangent = vec3( tangent.xyz );
#endif`,Jg=`float G_BlinnPhong_Implicit( ) {
	return 0.25;
}
float D_BlinnPhong( const in float shininess, const in float dotNH ) {
	return RECIPROCAL_PI * ( shininess * 0.5 + 1.0 ) * pow( dotNH, shininess );
}
vec3 BRDF_BlinnPhong( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 specularColor, const in float shininess ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( specularColor, 1.0, dotVH );
	float G = G_BlinnPhong_Implicit( );
	float D = D_BlinnPhong( shininess, dotNH );
	return F * ( G * D );
} // validated`,Qg=`#ifdef USE_IRIDESCENCE
	const mat3 XYZ_TO_REC709 = mat3(
		 3.2404542, -0.9692660,  0.0556434,
		-1.5371385,  1.8760108, -0.2040259,
		-0.4985314,  0.0415560,  1.0572252
	);
	vec3 Fresnel0ToIor( vec3 fresnel0 ) {
		vec3 sqrtF0 = sqrt( fresnel0 );
		return ( vec3( 1.0 ) + sqrtF0 ) / ( vec3( 1.0 ) - sqrtF0 );
	}
	vec3 IorToFresnel0( vec3 transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - vec3( incidentIor ) ) / ( transmittedIor + vec3( incidentIor ) ) );
	}
	float IorToFresnel0( float transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - incidentIor ) / ( transmittedIor + incidentIor ));
	}
	vec3 evalSensitivity( float OPD, vec3 shift ) {
		float phase = 2.0 * PI * OPD * 1.0e-9;
		vec3 val = vec3( 5.4856e-13, 4.4201e-13, 5.2481e-13 );
		vec3 pos = vec3( 1.6810e+06, 1.7953e+06, 2.2084e+06 );
		vec3 var = vec3( 4.3278e+09, 9.3046e+09, 6.6121e+09 );
		vec3 xyz = val * sqrt( 2.0 * PI * var ) * cos( pos * phase + shift ) * exp( - pow2( phase ) * var );
		xyz.x += 9.7470e-14 * sqrt( 2.0 * PI * 4.5282e+09 ) * cos( 2.2399e+06 * phase + shift[ 0 ] ) * exp( - 4.5282e+09 * pow2( phase ) );
		xyz /= 1.0685e-7;
		vec3 rgb = XYZ_TO_REC709 * xyz;
		return rgb;
	}
	vec3 evalIridescence( float outsideIOR, float eta2, float cosTheta1, float thinFilmThickness, vec3 baseF0 ) {
		vec3 I;
		float iridescenceIOR = mix( outsideIOR, eta2, smoothstep( 0.0, 0.03, thinFilmThickness ) );
		float sinTheta2Sq = pow2( outsideIOR / iridescenceIOR ) * ( 1.0 - pow2( cosTheta1 ) );
		float cosTheta2Sq = 1.0 - sinTheta2Sq;
		if ( cosTheta2Sq < 0.0 ) {
			return vec3( 1.0 );
		}
		float cosTheta2 = sqrt( cosTheta2Sq );
		float R0 = IorToFresnel0( iridescenceIOR, outsideIOR );
		float R12 = F_Schlick( R0, 1.0, cosTheta1 );
		float T121 = 1.0 - R12;
		float phi12 = 0.0;
		if ( iridescenceIOR < outsideIOR ) phi12 = PI;
		float phi21 = PI - phi12;
		vec3 baseIOR = Fresnel0ToIor( clamp( baseF0, 0.0, 0.9999 ) );		vec3 R1 = IorToFresnel0( baseIOR, iridescenceIOR );
		vec3 R23 = F_Schlick( R1, 1.0, cosTheta2 );
		vec3 phi23 = vec3( 0.0 );
		if ( baseIOR[ 0 ] < iridescenceIOR ) phi23[ 0 ] = PI;
		if ( baseIOR[ 1 ] < iridescenceIOR ) phi23[ 1 ] = PI;
		if ( baseIOR[ 2 ] < iridescenceIOR ) phi23[ 2 ] = PI;
		float OPD = 2.0 * iridescenceIOR * thinFilmThickness * cosTheta2;
		vec3 phi = vec3( phi21 ) + phi23;
		vec3 R123 = clamp( R12 * R23, 1e-5, 0.9999 );
		vec3 r123 = sqrt( R123 );
		vec3 Rs = pow2( T121 ) * R23 / ( vec3( 1.0 ) - R123 );
		vec3 C0 = R12 + Rs;
		I = C0;
		vec3 Cm = Rs - T121;
		for ( int m = 1; m <= 2; ++ m ) {
			Cm *= r123;
			vec3 Sm = 2.0 * evalSensitivity( float( m ) * OPD, float( m ) * phi );
			I += Cm * Sm;
		}
		return max( I, vec3( 0.0 ) );
	}
#endif`,e_=`#ifdef USE_BUMPMAP
	uniform sampler2D bumpMap;
	uniform float bumpScale;
	vec2 dHdxy_fwd() {
		vec2 dSTdx = dFdx( vBumpMapUv );
		vec2 dSTdy = dFdy( vBumpMapUv );
		float Hll = bumpScale * texture2D( bumpMap, vBumpMapUv ).x;
		float dBx = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdx ).x - Hll;
		float dBy = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdy ).x - Hll;
		return vec2( dBx, dBy );
	}
	vec3 perturbNormalArb( vec3 surf_pos, vec3 surf_norm, vec2 dHdxy, float faceDirection ) {
		vec3 vSigmaX = normalize( dFdx( surf_pos.xyz ) );
		vec3 vSigmaY = normalize( dFdy( surf_pos.xyz ) );
		vec3 vN = surf_norm;
		vec3 R1 = cross( vSigmaY, vN );
		vec3 R2 = cross( vN, vSigmaX );
		float fDet = dot( vSigmaX, R1 ) * faceDirection;
		vec3 vGrad = sign( fDet ) * ( dHdxy.x * R1 + dHdxy.y * R2 );
		return normalize( abs( fDet ) * surf_norm - vGrad );
	}
#endif`,t_=`#if NUM_CLIPPING_PLANES > 0
	vec4 plane;
	#ifdef ALPHA_TO_COVERAGE
		float distanceToPlane, distanceGradient;
		float clipOpacity = 1.0;
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
			distanceGradient = fwidth( distanceToPlane ) / 2.0;
			clipOpacity *= smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			if ( clipOpacity == 0.0 ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			float unionClipOpacity = 1.0;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
				distanceGradient = fwidth( distanceToPlane ) / 2.0;
				unionClipOpacity *= 1.0 - smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			}
			#pragma unroll_loop_end
			clipOpacity *= 1.0 - unionClipOpacity;
		#endif
		diffuseColor.a *= clipOpacity;
		if ( diffuseColor.a == 0.0 ) discard;
	#else
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			if ( dot( vClipPosition, plane.xyz ) > plane.w ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			bool clipped = true;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				clipped = ( dot( vClipPosition, plane.xyz ) > plane.w ) && clipped;
			}
			#pragma unroll_loop_end
			if ( clipped ) discard;
		#endif
	#endif
#endif`,n_=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
	uniform vec4 clippingPlanes[ NUM_CLIPPING_PLANES ];
#endif`,i_=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
#endif`,s_=`#if NUM_CLIPPING_PLANES > 0
	vClipPosition = - mvPosition.xyz;
#endif`,r_=`#if defined( USE_COLOR_ALPHA )
	diffuseColor *= vColor;
#elif defined( USE_COLOR )
	diffuseColor.rgb *= vColor;
#endif`,o_=`#if defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#elif defined( USE_COLOR )
	varying vec3 vColor;
#endif`,a_=`#if defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#elif defined( USE_COLOR ) || defined( USE_INSTANCING_COLOR )
	varying vec3 vColor;
#endif`,l_=`#if defined( USE_COLOR_ALPHA )
	vColor = vec4( 1.0 );
#elif defined( USE_COLOR ) || defined( USE_INSTANCING_COLOR )
	vColor = vec3( 1.0 );
#endif
#ifdef USE_COLOR
	vColor *= color;
#endif
#ifdef USE_INSTANCING_COLOR
	vColor.xyz *= instanceColor.xyz;
#endif`,c_=`#define PI 3.141592653589793
#define PI2 6.283185307179586
#define PI_HALF 1.5707963267948966
#define RECIPROCAL_PI 0.3183098861837907
#define RECIPROCAL_PI2 0.15915494309189535
#define EPSILON 1e-6
#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
#define whiteComplement( a ) ( 1.0 - saturate( a ) )
float pow2( const in float x ) { return x*x; }
vec3 pow2( const in vec3 x ) { return x*x; }
float pow3( const in float x ) { return x*x*x; }
float pow4( const in float x ) { float x2 = x*x; return x2*x2; }
float max3( const in vec3 v ) { return max( max( v.x, v.y ), v.z ); }
float average( const in vec3 v ) { return dot( v, vec3( 0.3333333 ) ); }
highp float rand( const in vec2 uv ) {
	const highp float a = 12.9898, b = 78.233, c = 43758.5453;
	highp float dt = dot( uv.xy, vec2( a,b ) ), sn = mod( dt, PI );
	return fract( sin( sn ) * c );
}
#ifdef HIGH_PRECISION
	float precisionSafeLength( vec3 v ) { return length( v ); }
#else
	float precisionSafeLength( vec3 v ) {
		float maxComponent = max3( abs( v ) );
		return length( v / maxComponent ) * maxComponent;
	}
#endif
struct IncidentLight {
	vec3 color;
	vec3 direction;
	bool visible;
};
struct ReflectedLight {
	vec3 directDiffuse;
	vec3 directSpecular;
	vec3 indirectDiffuse;
	vec3 indirectSpecular;
};
#ifdef USE_ALPHAHASH
	varying vec3 vPosition;
#endif
vec3 transformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );
}
vec3 inverseTransformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( vec4( dir, 0.0 ) * matrix ).xyz );
}
mat3 transposeMat3( const in mat3 m ) {
	mat3 tmp;
	tmp[ 0 ] = vec3( m[ 0 ].x, m[ 1 ].x, m[ 2 ].x );
	tmp[ 1 ] = vec3( m[ 0 ].y, m[ 1 ].y, m[ 2 ].y );
	tmp[ 2 ] = vec3( m[ 0 ].z, m[ 1 ].z, m[ 2 ].z );
	return tmp;
}
float luminance( const in vec3 rgb ) {
	const vec3 weights = vec3( 0.2126729, 0.7151522, 0.0721750 );
	return dot( weights, rgb );
}
bool isPerspectiveMatrix( mat4 m ) {
	return m[ 2 ][ 3 ] == - 1.0;
}
vec2 equirectUv( in vec3 dir ) {
	float u = atan( dir.z, dir.x ) * RECIPROCAL_PI2 + 0.5;
	float v = asin( clamp( dir.y, - 1.0, 1.0 ) ) * RECIPROCAL_PI + 0.5;
	return vec2( u, v );
}
vec3 BRDF_Lambert( const in vec3 diffuseColor ) {
	return RECIPROCAL_PI * diffuseColor;
}
vec3 F_Schlick( const in vec3 f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
}
float F_Schlick( const in float f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
} // validated`,u_=`#ifdef ENVMAP_TYPE_CUBE_UV
	#define cubeUV_minMipLevel 4.0
	#define cubeUV_minTileSize 16.0
	float getFace( vec3 direction ) {
		vec3 absDirection = abs( direction );
		float face = - 1.0;
		if ( absDirection.x > absDirection.z ) {
			if ( absDirection.x > absDirection.y )
				face = direction.x > 0.0 ? 0.0 : 3.0;
			else
				face = direction.y > 0.0 ? 1.0 : 4.0;
		} else {
			if ( absDirection.z > absDirection.y )
				face = direction.z > 0.0 ? 2.0 : 5.0;
			else
				face = direction.y > 0.0 ? 1.0 : 4.0;
		}
		return face;
	}
	vec2 getUV( vec3 direction, float face ) {
		vec2 uv;
		if ( face == 0.0 ) {
			uv = vec2( direction.z, direction.y ) / abs( direction.x );
		} else if ( face == 1.0 ) {
			uv = vec2( - direction.x, - direction.z ) / abs( direction.y );
		} else if ( face == 2.0 ) {
			uv = vec2( - direction.x, direction.y ) / abs( direction.z );
		} else if ( face == 3.0 ) {
			uv = vec2( - direction.z, direction.y ) / abs( direction.x );
		} else if ( face == 4.0 ) {
			uv = vec2( - direction.x, direction.z ) / abs( direction.y );
		} else {
			uv = vec2( direction.x, direction.y ) / abs( direction.z );
		}
		return 0.5 * ( uv + 1.0 );
	}
	vec3 bilinearCubeUV( sampler2D envMap, vec3 direction, float mipInt ) {
		float face = getFace( direction );
		float filterInt = max( cubeUV_minMipLevel - mipInt, 0.0 );
		mipInt = max( mipInt, cubeUV_minMipLevel );
		float faceSize = exp2( mipInt );
		highp vec2 uv = getUV( direction, face ) * ( faceSize - 2.0 ) + 1.0;
		if ( face > 2.0 ) {
			uv.y += faceSize;
			face -= 3.0;
		}
		uv.x += face * faceSize;
		uv.x += filterInt * 3.0 * cubeUV_minTileSize;
		uv.y += 4.0 * ( exp2( CUBEUV_MAX_MIP ) - faceSize );
		uv.x *= CUBEUV_TEXEL_WIDTH;
		uv.y *= CUBEUV_TEXEL_HEIGHT;
		#ifdef texture2DGradEXT
			return texture2DGradEXT( envMap, uv, vec2( 0.0 ), vec2( 0.0 ) ).rgb;
		#else
			return texture2D( envMap, uv ).rgb;
		#endif
	}
	#define cubeUV_r0 1.0
	#define cubeUV_m0 - 2.0
	#define cubeUV_r1 0.8
	#define cubeUV_m1 - 1.0
	#define cubeUV_r4 0.4
	#define cubeUV_m4 2.0
	#define cubeUV_r5 0.305
	#define cubeUV_m5 3.0
	#define cubeUV_r6 0.21
	#define cubeUV_m6 4.0
	float roughnessToMip( float roughness ) {
		float mip = 0.0;
		if ( roughness >= cubeUV_r1 ) {
			mip = ( cubeUV_r0 - roughness ) * ( cubeUV_m1 - cubeUV_m0 ) / ( cubeUV_r0 - cubeUV_r1 ) + cubeUV_m0;
		} else if ( roughness >= cubeUV_r4 ) {
			mip = ( cubeUV_r1 - roughness ) * ( cubeUV_m4 - cubeUV_m1 ) / ( cubeUV_r1 - cubeUV_r4 ) + cubeUV_m1;
		} else if ( roughness >= cubeUV_r5 ) {
			mip = ( cubeUV_r4 - roughness ) * ( cubeUV_m5 - cubeUV_m4 ) / ( cubeUV_r4 - cubeUV_r5 ) + cubeUV_m4;
		} else if ( roughness >= cubeUV_r6 ) {
			mip = ( cubeUV_r5 - roughness ) * ( cubeUV_m6 - cubeUV_m5 ) / ( cubeUV_r5 - cubeUV_r6 ) + cubeUV_m5;
		} else {
			mip = - 2.0 * log2( 1.16 * roughness );		}
		return mip;
	}
	vec4 textureCubeUV( sampler2D envMap, vec3 sampleDir, float roughness ) {
		float mip = clamp( roughnessToMip( roughness ), cubeUV_m0, CUBEUV_MAX_MIP );
		float mipF = fract( mip );
		float mipInt = floor( mip );
		vec3 color0 = bilinearCubeUV( envMap, sampleDir, mipInt );
		if ( mipF == 0.0 ) {
			return vec4( color0, 1.0 );
		} else {
			vec3 color1 = bilinearCubeUV( envMap, sampleDir, mipInt + 1.0 );
			return vec4( mix( color0, color1, mipF ), 1.0 );
		}
	}
#endif`,h_=`vec3 transformedNormal = objectNormal;
#ifdef USE_TANGENT
	vec3 transformedTangent = objectTangent;
#endif
#ifdef USE_BATCHING
	mat3 bm = mat3( batchingMatrix );
	transformedNormal /= vec3( dot( bm[ 0 ], bm[ 0 ] ), dot( bm[ 1 ], bm[ 1 ] ), dot( bm[ 2 ], bm[ 2 ] ) );
	transformedNormal = bm * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = bm * transformedTangent;
	#endif
#endif
#ifdef USE_INSTANCING
	mat3 im = mat3( instanceMatrix );
	transformedNormal /= vec3( dot( im[ 0 ], im[ 0 ] ), dot( im[ 1 ], im[ 1 ] ), dot( im[ 2 ], im[ 2 ] ) );
	transformedNormal = im * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = im * transformedTangent;
	#endif
#endif
transformedNormal = normalMatrix * transformedNormal;
#ifdef FLIP_SIDED
	transformedNormal = - transformedNormal;
#endif
#ifdef USE_TANGENT
	transformedTangent = ( modelViewMatrix * vec4( transformedTangent, 0.0 ) ).xyz;
	#ifdef FLIP_SIDED
		transformedTangent = - transformedTangent;
	#endif
#endif`,f_=`#ifdef USE_DISPLACEMENTMAP
	uniform sampler2D displacementMap;
	uniform float displacementScale;
	uniform float displacementBias;
#endif`,d_=`#ifdef USE_DISPLACEMENTMAP
	transformed += normalize( objectNormal ) * ( texture2D( displacementMap, vDisplacementMapUv ).x * displacementScale + displacementBias );
#endif`,p_=`#ifdef USE_EMISSIVEMAP
	vec4 emissiveColor = texture2D( emissiveMap, vEmissiveMapUv );
	totalEmissiveRadiance *= emissiveColor.rgb;
#endif`,m_=`#ifdef USE_EMISSIVEMAP
	uniform sampler2D emissiveMap;
#endif`,g_="gl_FragColor = linearToOutputTexel( gl_FragColor );",__=`
const mat3 LINEAR_SRGB_TO_LINEAR_DISPLAY_P3 = mat3(
	vec3( 0.8224621, 0.177538, 0.0 ),
	vec3( 0.0331941, 0.9668058, 0.0 ),
	vec3( 0.0170827, 0.0723974, 0.9105199 )
);
const mat3 LINEAR_DISPLAY_P3_TO_LINEAR_SRGB = mat3(
	vec3( 1.2249401, - 0.2249404, 0.0 ),
	vec3( - 0.0420569, 1.0420571, 0.0 ),
	vec3( - 0.0196376, - 0.0786361, 1.0982735 )
);
vec4 LinearSRGBToLinearDisplayP3( in vec4 value ) {
	return vec4( value.rgb * LINEAR_SRGB_TO_LINEAR_DISPLAY_P3, value.a );
}
vec4 LinearDisplayP3ToLinearSRGB( in vec4 value ) {
	return vec4( value.rgb * LINEAR_DISPLAY_P3_TO_LINEAR_SRGB, value.a );
}
vec4 LinearTransferOETF( in vec4 value ) {
	return value;
}
vec4 sRGBTransferOETF( in vec4 value ) {
	return vec4( mix( pow( value.rgb, vec3( 0.41666 ) ) * 1.055 - vec3( 0.055 ), value.rgb * 12.92, vec3( lessThanEqual( value.rgb, vec3( 0.0031308 ) ) ) ), value.a );
}
vec4 LinearToLinear( in vec4 value ) {
	return value;
}
vec4 LinearTosRGB( in vec4 value ) {
	return sRGBTransferOETF( value );
}`,v_=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vec3 cameraToFrag;
		if ( isOrthographic ) {
			cameraToFrag = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToFrag = normalize( vWorldPosition - cameraPosition );
		}
		vec3 worldNormal = inverseTransformDirection( normal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vec3 reflectVec = reflect( cameraToFrag, worldNormal );
		#else
			vec3 reflectVec = refract( cameraToFrag, worldNormal, refractionRatio );
		#endif
	#else
		vec3 reflectVec = vReflect;
	#endif
	#ifdef ENVMAP_TYPE_CUBE
		vec4 envColor = textureCube( envMap, envMapRotation * vec3( flipEnvMap * reflectVec.x, reflectVec.yz ) );
	#else
		vec4 envColor = vec4( 0.0 );
	#endif
	#ifdef ENVMAP_BLENDING_MULTIPLY
		outgoingLight = mix( outgoingLight, outgoingLight * envColor.xyz, specularStrength * reflectivity );
	#elif defined( ENVMAP_BLENDING_MIX )
		outgoingLight = mix( outgoingLight, envColor.xyz, specularStrength * reflectivity );
	#elif defined( ENVMAP_BLENDING_ADD )
		outgoingLight += envColor.xyz * specularStrength * reflectivity;
	#endif
#endif`,x_=`#ifdef USE_ENVMAP
	uniform float envMapIntensity;
	uniform float flipEnvMap;
	uniform mat3 envMapRotation;
	#ifdef ENVMAP_TYPE_CUBE
		uniform samplerCube envMap;
	#else
		uniform sampler2D envMap;
	#endif
	
#endif`,M_=`#ifdef USE_ENVMAP
	uniform float reflectivity;
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		varying vec3 vWorldPosition;
		uniform float refractionRatio;
	#else
		varying vec3 vReflect;
	#endif
#endif`,S_=`#ifdef USE_ENVMAP
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		
		varying vec3 vWorldPosition;
	#else
		varying vec3 vReflect;
		uniform float refractionRatio;
	#endif
#endif`,y_=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vWorldPosition = worldPosition.xyz;
	#else
		vec3 cameraToVertex;
		if ( isOrthographic ) {
			cameraToVertex = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToVertex = normalize( worldPosition.xyz - cameraPosition );
		}
		vec3 worldNormal = inverseTransformDirection( transformedNormal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vReflect = reflect( cameraToVertex, worldNormal );
		#else
			vReflect = refract( cameraToVertex, worldNormal, refractionRatio );
		#endif
	#endif
#endif`,E_=`#ifdef USE_FOG
	vFogDepth = - mvPosition.z;
#endif`,b_=`#ifdef USE_FOG
	varying float vFogDepth;
#endif`,w_=`#ifdef USE_FOG
	#ifdef FOG_EXP2
		float fogFactor = 1.0 - exp( - fogDensity * fogDensity * vFogDepth * vFogDepth );
	#else
		float fogFactor = smoothstep( fogNear, fogFar, vFogDepth );
	#endif
	gl_FragColor.rgb = mix( gl_FragColor.rgb, fogColor, fogFactor );
#endif`,T_=`#ifdef USE_FOG
	uniform vec3 fogColor;
	varying float vFogDepth;
	#ifdef FOG_EXP2
		uniform float fogDensity;
	#else
		uniform float fogNear;
		uniform float fogFar;
	#endif
#endif`,A_=`#ifdef USE_GRADIENTMAP
	uniform sampler2D gradientMap;
#endif
vec3 getGradientIrradiance( vec3 normal, vec3 lightDirection ) {
	float dotNL = dot( normal, lightDirection );
	vec2 coord = vec2( dotNL * 0.5 + 0.5, 0.0 );
	#ifdef USE_GRADIENTMAP
		return vec3( texture2D( gradientMap, coord ).r );
	#else
		vec2 fw = fwidth( coord ) * 0.5;
		return mix( vec3( 0.7 ), vec3( 1.0 ), smoothstep( 0.7 - fw.x, 0.7 + fw.x, coord.x ) );
	#endif
}`,R_=`#ifdef USE_LIGHTMAP
	uniform sampler2D lightMap;
	uniform float lightMapIntensity;
#endif`,C_=`LambertMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularStrength = specularStrength;`,P_=`varying vec3 vViewPosition;
struct LambertMaterial {
	vec3 diffuseColor;
	float specularStrength;
};
void RE_Direct_Lambert( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Lambert( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Lambert
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Lambert`,L_=`uniform bool receiveShadow;
uniform vec3 ambientLightColor;
#if defined( USE_LIGHT_PROBES )
	uniform vec3 lightProbe[ 9 ];
#endif
vec3 shGetIrradianceAt( in vec3 normal, in vec3 shCoefficients[ 9 ] ) {
	float x = normal.x, y = normal.y, z = normal.z;
	vec3 result = shCoefficients[ 0 ] * 0.886227;
	result += shCoefficients[ 1 ] * 2.0 * 0.511664 * y;
	result += shCoefficients[ 2 ] * 2.0 * 0.511664 * z;
	result += shCoefficients[ 3 ] * 2.0 * 0.511664 * x;
	result += shCoefficients[ 4 ] * 2.0 * 0.429043 * x * y;
	result += shCoefficients[ 5 ] * 2.0 * 0.429043 * y * z;
	result += shCoefficients[ 6 ] * ( 0.743125 * z * z - 0.247708 );
	result += shCoefficients[ 7 ] * 2.0 * 0.429043 * x * z;
	result += shCoefficients[ 8 ] * 0.429043 * ( x * x - y * y );
	return result;
}
vec3 getLightProbeIrradiance( const in vec3 lightProbe[ 9 ], const in vec3 normal ) {
	vec3 worldNormal = inverseTransformDirection( normal, viewMatrix );
	vec3 irradiance = shGetIrradianceAt( worldNormal, lightProbe );
	return irradiance;
}
vec3 getAmbientLightIrradiance( const in vec3 ambientLightColor ) {
	vec3 irradiance = ambientLightColor;
	return irradiance;
}
float getDistanceAttenuation( const in float lightDistance, const in float cutoffDistance, const in float decayExponent ) {
	#if defined ( LEGACY_LIGHTS )
		if ( cutoffDistance > 0.0 && decayExponent > 0.0 ) {
			return pow( saturate( - lightDistance / cutoffDistance + 1.0 ), decayExponent );
		}
		return 1.0;
	#else
		float distanceFalloff = 1.0 / max( pow( lightDistance, decayExponent ), 0.01 );
		if ( cutoffDistance > 0.0 ) {
			distanceFalloff *= pow2( saturate( 1.0 - pow4( lightDistance / cutoffDistance ) ) );
		}
		return distanceFalloff;
	#endif
}
float getSpotAttenuation( const in float coneCosine, const in float penumbraCosine, const in float angleCosine ) {
	return smoothstep( coneCosine, penumbraCosine, angleCosine );
}
#if NUM_DIR_LIGHTS > 0
	struct DirectionalLight {
		vec3 direction;
		vec3 color;
	};
	uniform DirectionalLight directionalLights[ NUM_DIR_LIGHTS ];
	void getDirectionalLightInfo( const in DirectionalLight directionalLight, out IncidentLight light ) {
		light.color = directionalLight.color;
		light.direction = directionalLight.direction;
		light.visible = true;
	}
#endif
#if NUM_POINT_LIGHTS > 0
	struct PointLight {
		vec3 position;
		vec3 color;
		float distance;
		float decay;
	};
	uniform PointLight pointLights[ NUM_POINT_LIGHTS ];
	void getPointLightInfo( const in PointLight pointLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = pointLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float lightDistance = length( lVector );
		light.color = pointLight.color;
		light.color *= getDistanceAttenuation( lightDistance, pointLight.distance, pointLight.decay );
		light.visible = ( light.color != vec3( 0.0 ) );
	}
#endif
#if NUM_SPOT_LIGHTS > 0
	struct SpotLight {
		vec3 position;
		vec3 direction;
		vec3 color;
		float distance;
		float decay;
		float coneCos;
		float penumbraCos;
	};
	uniform SpotLight spotLights[ NUM_SPOT_LIGHTS ];
	void getSpotLightInfo( const in SpotLight spotLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = spotLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float angleCos = dot( light.direction, spotLight.direction );
		float spotAttenuation = getSpotAttenuation( spotLight.coneCos, spotLight.penumbraCos, angleCos );
		if ( spotAttenuation > 0.0 ) {
			float lightDistance = length( lVector );
			light.color = spotLight.color * spotAttenuation;
			light.color *= getDistanceAttenuation( lightDistance, spotLight.distance, spotLight.decay );
			light.visible = ( light.color != vec3( 0.0 ) );
		} else {
			light.color = vec3( 0.0 );
			light.visible = false;
		}
	}
#endif
#if NUM_RECT_AREA_LIGHTS > 0
	struct RectAreaLight {
		vec3 color;
		vec3 position;
		vec3 halfWidth;
		vec3 halfHeight;
	};
	uniform sampler2D ltc_1;	uniform sampler2D ltc_2;
	uniform RectAreaLight rectAreaLights[ NUM_RECT_AREA_LIGHTS ];
#endif
#if NUM_HEMI_LIGHTS > 0
	struct HemisphereLight {
		vec3 direction;
		vec3 skyColor;
		vec3 groundColor;
	};
	uniform HemisphereLight hemisphereLights[ NUM_HEMI_LIGHTS ];
	vec3 getHemisphereLightIrradiance( const in HemisphereLight hemiLight, const in vec3 normal ) {
		float dotNL = dot( normal, hemiLight.direction );
		float hemiDiffuseWeight = 0.5 * dotNL + 0.5;
		vec3 irradiance = mix( hemiLight.groundColor, hemiLight.skyColor, hemiDiffuseWeight );
		return irradiance;
	}
#endif`,D_=`#ifdef USE_ENVMAP
	vec3 getIBLIrradiance( const in vec3 normal ) {
		#ifdef ENVMAP_TYPE_CUBE_UV
			vec3 worldNormal = inverseTransformDirection( normal, viewMatrix );
			vec4 envMapColor = textureCubeUV( envMap, envMapRotation * worldNormal, 1.0 );
			return PI * envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	vec3 getIBLRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
		#ifdef ENVMAP_TYPE_CUBE_UV
			vec3 reflectVec = reflect( - viewDir, normal );
			reflectVec = normalize( mix( reflectVec, normal, roughness * roughness) );
			reflectVec = inverseTransformDirection( reflectVec, viewMatrix );
			vec4 envMapColor = textureCubeUV( envMap, envMapRotation * reflectVec, roughness );
			return envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	#ifdef USE_ANISOTROPY
		vec3 getIBLAnisotropyRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
			#ifdef ENVMAP_TYPE_CUBE_UV
				vec3 bentNormal = cross( bitangent, viewDir );
				bentNormal = normalize( cross( bentNormal, bitangent ) );
				bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
				return getIBLRadiance( viewDir, bentNormal, roughness );
			#else
				return vec3( 0.0 );
			#endif
		}
	#endif
#endif`,U_=`ToonMaterial material;
material.diffuseColor = diffuseColor.rgb;`,I_=`varying vec3 vViewPosition;
struct ToonMaterial {
	vec3 diffuseColor;
};
void RE_Direct_Toon( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 irradiance = getGradientIrradiance( geometryNormal, directLight.direction ) * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Toon( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Toon
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Toon`,N_=`BlinnPhongMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularColor = specular;
material.specularShininess = shininess;
material.specularStrength = specularStrength;`,O_=`varying vec3 vViewPosition;
struct BlinnPhongMaterial {
	vec3 diffuseColor;
	vec3 specularColor;
	float specularShininess;
	float specularStrength;
};
void RE_Direct_BlinnPhong( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
	reflectedLight.directSpecular += irradiance * BRDF_BlinnPhong( directLight.direction, geometryViewDir, geometryNormal, material.specularColor, material.specularShininess ) * material.specularStrength;
}
void RE_IndirectDiffuse_BlinnPhong( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_BlinnPhong
#define RE_IndirectDiffuse		RE_IndirectDiffuse_BlinnPhong`,F_=`PhysicalMaterial material;
material.diffuseColor = diffuseColor.rgb * ( 1.0 - metalnessFactor );
vec3 dxy = max( abs( dFdx( nonPerturbedNormal ) ), abs( dFdy( nonPerturbedNormal ) ) );
float geometryRoughness = max( max( dxy.x, dxy.y ), dxy.z );
material.roughness = max( roughnessFactor, 0.0525 );material.roughness += geometryRoughness;
material.roughness = min( material.roughness, 1.0 );
#ifdef IOR
	material.ior = ior;
	#ifdef USE_SPECULAR
		float specularIntensityFactor = specularIntensity;
		vec3 specularColorFactor = specularColor;
		#ifdef USE_SPECULAR_COLORMAP
			specularColorFactor *= texture2D( specularColorMap, vSpecularColorMapUv ).rgb;
		#endif
		#ifdef USE_SPECULAR_INTENSITYMAP
			specularIntensityFactor *= texture2D( specularIntensityMap, vSpecularIntensityMapUv ).a;
		#endif
		material.specularF90 = mix( specularIntensityFactor, 1.0, metalnessFactor );
	#else
		float specularIntensityFactor = 1.0;
		vec3 specularColorFactor = vec3( 1.0 );
		material.specularF90 = 1.0;
	#endif
	material.specularColor = mix( min( pow2( ( material.ior - 1.0 ) / ( material.ior + 1.0 ) ) * specularColorFactor, vec3( 1.0 ) ) * specularIntensityFactor, diffuseColor.rgb, metalnessFactor );
#else
	material.specularColor = mix( vec3( 0.04 ), diffuseColor.rgb, metalnessFactor );
	material.specularF90 = 1.0;
#endif
#ifdef USE_CLEARCOAT
	material.clearcoat = clearcoat;
	material.clearcoatRoughness = clearcoatRoughness;
	material.clearcoatF0 = vec3( 0.04 );
	material.clearcoatF90 = 1.0;
	#ifdef USE_CLEARCOATMAP
		material.clearcoat *= texture2D( clearcoatMap, vClearcoatMapUv ).x;
	#endif
	#ifdef USE_CLEARCOAT_ROUGHNESSMAP
		material.clearcoatRoughness *= texture2D( clearcoatRoughnessMap, vClearcoatRoughnessMapUv ).y;
	#endif
	material.clearcoat = saturate( material.clearcoat );	material.clearcoatRoughness = max( material.clearcoatRoughness, 0.0525 );
	material.clearcoatRoughness += geometryRoughness;
	material.clearcoatRoughness = min( material.clearcoatRoughness, 1.0 );
#endif
#ifdef USE_DISPERSION
	material.dispersion = dispersion;
#endif
#ifdef USE_IRIDESCENCE
	material.iridescence = iridescence;
	material.iridescenceIOR = iridescenceIOR;
	#ifdef USE_IRIDESCENCEMAP
		material.iridescence *= texture2D( iridescenceMap, vIridescenceMapUv ).r;
	#endif
	#ifdef USE_IRIDESCENCE_THICKNESSMAP
		material.iridescenceThickness = (iridescenceThicknessMaximum - iridescenceThicknessMinimum) * texture2D( iridescenceThicknessMap, vIridescenceThicknessMapUv ).g + iridescenceThicknessMinimum;
	#else
		material.iridescenceThickness = iridescenceThicknessMaximum;
	#endif
#endif
#ifdef USE_SHEEN
	material.sheenColor = sheenColor;
	#ifdef USE_SHEEN_COLORMAP
		material.sheenColor *= texture2D( sheenColorMap, vSheenColorMapUv ).rgb;
	#endif
	material.sheenRoughness = clamp( sheenRoughness, 0.07, 1.0 );
	#ifdef USE_SHEEN_ROUGHNESSMAP
		material.sheenRoughness *= texture2D( sheenRoughnessMap, vSheenRoughnessMapUv ).a;
	#endif
#endif
#ifdef USE_ANISOTROPY
	#ifdef USE_ANISOTROPYMAP
		mat2 anisotropyMat = mat2( anisotropyVector.x, anisotropyVector.y, - anisotropyVector.y, anisotropyVector.x );
		vec3 anisotropyPolar = texture2D( anisotropyMap, vAnisotropyMapUv ).rgb;
		vec2 anisotropyV = anisotropyMat * normalize( 2.0 * anisotropyPolar.rg - vec2( 1.0 ) ) * anisotropyPolar.b;
	#else
		vec2 anisotropyV = anisotropyVector;
	#endif
	material.anisotropy = length( anisotropyV );
	if( material.anisotropy == 0.0 ) {
		anisotropyV = vec2( 1.0, 0.0 );
	} else {
		anisotropyV /= material.anisotropy;
		material.anisotropy = saturate( material.anisotropy );
	}
	material.alphaT = mix( pow2( material.roughness ), 1.0, pow2( material.anisotropy ) );
	material.anisotropyT = tbn[ 0 ] * anisotropyV.x + tbn[ 1 ] * anisotropyV.y;
	material.anisotropyB = tbn[ 1 ] * anisotropyV.x - tbn[ 0 ] * anisotropyV.y;
#endif`,k_=`struct PhysicalMaterial {
	vec3 diffuseColor;
	float roughness;
	vec3 specularColor;
	float specularF90;
	float dispersion;
	#ifdef USE_CLEARCOAT
		float clearcoat;
		float clearcoatRoughness;
		vec3 clearcoatF0;
		float clearcoatF90;
	#endif
	#ifdef USE_IRIDESCENCE
		float iridescence;
		float iridescenceIOR;
		float iridescenceThickness;
		vec3 iridescenceFresnel;
		vec3 iridescenceF0;
	#endif
	#ifdef USE_SHEEN
		vec3 sheenColor;
		float sheenRoughness;
	#endif
	#ifdef IOR
		float ior;
	#endif
	#ifdef USE_TRANSMISSION
		float transmission;
		float transmissionAlpha;
		float thickness;
		float attenuationDistance;
		vec3 attenuationColor;
	#endif
	#ifdef USE_ANISOTROPY
		float anisotropy;
		float alphaT;
		vec3 anisotropyT;
		vec3 anisotropyB;
	#endif
};
vec3 clearcoatSpecularDirect = vec3( 0.0 );
vec3 clearcoatSpecularIndirect = vec3( 0.0 );
vec3 sheenSpecularDirect = vec3( 0.0 );
vec3 sheenSpecularIndirect = vec3(0.0 );
vec3 Schlick_to_F0( const in vec3 f, const in float f90, const in float dotVH ) {
    float x = clamp( 1.0 - dotVH, 0.0, 1.0 );
    float x2 = x * x;
    float x5 = clamp( x * x2 * x2, 0.0, 0.9999 );
    return ( f - vec3( f90 ) * x5 ) / ( 1.0 - x5 );
}
float V_GGX_SmithCorrelated( const in float alpha, const in float dotNL, const in float dotNV ) {
	float a2 = pow2( alpha );
	float gv = dotNL * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNV ) );
	float gl = dotNV * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNL ) );
	return 0.5 / max( gv + gl, EPSILON );
}
float D_GGX( const in float alpha, const in float dotNH ) {
	float a2 = pow2( alpha );
	float denom = pow2( dotNH ) * ( a2 - 1.0 ) + 1.0;
	return RECIPROCAL_PI * a2 / pow2( denom );
}
#ifdef USE_ANISOTROPY
	float V_GGX_SmithCorrelated_Anisotropic( const in float alphaT, const in float alphaB, const in float dotTV, const in float dotBV, const in float dotTL, const in float dotBL, const in float dotNV, const in float dotNL ) {
		float gv = dotNL * length( vec3( alphaT * dotTV, alphaB * dotBV, dotNV ) );
		float gl = dotNV * length( vec3( alphaT * dotTL, alphaB * dotBL, dotNL ) );
		float v = 0.5 / ( gv + gl );
		return saturate(v);
	}
	float D_GGX_Anisotropic( const in float alphaT, const in float alphaB, const in float dotNH, const in float dotTH, const in float dotBH ) {
		float a2 = alphaT * alphaB;
		highp vec3 v = vec3( alphaB * dotTH, alphaT * dotBH, a2 * dotNH );
		highp float v2 = dot( v, v );
		float w2 = a2 / v2;
		return RECIPROCAL_PI * a2 * pow2 ( w2 );
	}
#endif
#ifdef USE_CLEARCOAT
	vec3 BRDF_GGX_Clearcoat( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material) {
		vec3 f0 = material.clearcoatF0;
		float f90 = material.clearcoatF90;
		float roughness = material.clearcoatRoughness;
		float alpha = pow2( roughness );
		vec3 halfDir = normalize( lightDir + viewDir );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float dotNH = saturate( dot( normal, halfDir ) );
		float dotVH = saturate( dot( viewDir, halfDir ) );
		vec3 F = F_Schlick( f0, f90, dotVH );
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
		return F * ( V * D );
	}
#endif
vec3 BRDF_GGX( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material ) {
	vec3 f0 = material.specularColor;
	float f90 = material.specularF90;
	float roughness = material.roughness;
	float alpha = pow2( roughness );
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( f0, f90, dotVH );
	#ifdef USE_IRIDESCENCE
		F = mix( F, material.iridescenceFresnel, material.iridescence );
	#endif
	#ifdef USE_ANISOTROPY
		float dotTL = dot( material.anisotropyT, lightDir );
		float dotTV = dot( material.anisotropyT, viewDir );
		float dotTH = dot( material.anisotropyT, halfDir );
		float dotBL = dot( material.anisotropyB, lightDir );
		float dotBV = dot( material.anisotropyB, viewDir );
		float dotBH = dot( material.anisotropyB, halfDir );
		float V = V_GGX_SmithCorrelated_Anisotropic( material.alphaT, alpha, dotTV, dotBV, dotTL, dotBL, dotNV, dotNL );
		float D = D_GGX_Anisotropic( material.alphaT, alpha, dotNH, dotTH, dotBH );
	#else
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
	#endif
	return F * ( V * D );
}
vec2 LTC_Uv( const in vec3 N, const in vec3 V, const in float roughness ) {
	const float LUT_SIZE = 64.0;
	const float LUT_SCALE = ( LUT_SIZE - 1.0 ) / LUT_SIZE;
	const float LUT_BIAS = 0.5 / LUT_SIZE;
	float dotNV = saturate( dot( N, V ) );
	vec2 uv = vec2( roughness, sqrt( 1.0 - dotNV ) );
	uv = uv * LUT_SCALE + LUT_BIAS;
	return uv;
}
float LTC_ClippedSphereFormFactor( const in vec3 f ) {
	float l = length( f );
	return max( ( l * l + f.z ) / ( l + 1.0 ), 0.0 );
}
vec3 LTC_EdgeVectorFormFactor( const in vec3 v1, const in vec3 v2 ) {
	float x = dot( v1, v2 );
	float y = abs( x );
	float a = 0.8543985 + ( 0.4965155 + 0.0145206 * y ) * y;
	float b = 3.4175940 + ( 4.1616724 + y ) * y;
	float v = a / b;
	float theta_sintheta = ( x > 0.0 ) ? v : 0.5 * inversesqrt( max( 1.0 - x * x, 1e-7 ) ) - v;
	return cross( v1, v2 ) * theta_sintheta;
}
vec3 LTC_Evaluate( const in vec3 N, const in vec3 V, const in vec3 P, const in mat3 mInv, const in vec3 rectCoords[ 4 ] ) {
	vec3 v1 = rectCoords[ 1 ] - rectCoords[ 0 ];
	vec3 v2 = rectCoords[ 3 ] - rectCoords[ 0 ];
	vec3 lightNormal = cross( v1, v2 );
	if( dot( lightNormal, P - rectCoords[ 0 ] ) < 0.0 ) return vec3( 0.0 );
	vec3 T1, T2;
	T1 = normalize( V - N * dot( V, N ) );
	T2 = - cross( N, T1 );
	mat3 mat = mInv * transposeMat3( mat3( T1, T2, N ) );
	vec3 coords[ 4 ];
	coords[ 0 ] = mat * ( rectCoords[ 0 ] - P );
	coords[ 1 ] = mat * ( rectCoords[ 1 ] - P );
	coords[ 2 ] = mat * ( rectCoords[ 2 ] - P );
	coords[ 3 ] = mat * ( rectCoords[ 3 ] - P );
	coords[ 0 ] = normalize( coords[ 0 ] );
	coords[ 1 ] = normalize( coords[ 1 ] );
	coords[ 2 ] = normalize( coords[ 2 ] );
	coords[ 3 ] = normalize( coords[ 3 ] );
	vec3 vectorFormFactor = vec3( 0.0 );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 0 ], coords[ 1 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 1 ], coords[ 2 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 2 ], coords[ 3 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 3 ], coords[ 0 ] );
	float result = LTC_ClippedSphereFormFactor( vectorFormFactor );
	return vec3( result );
}
#if defined( USE_SHEEN )
float D_Charlie( float roughness, float dotNH ) {
	float alpha = pow2( roughness );
	float invAlpha = 1.0 / alpha;
	float cos2h = dotNH * dotNH;
	float sin2h = max( 1.0 - cos2h, 0.0078125 );
	return ( 2.0 + invAlpha ) * pow( sin2h, invAlpha * 0.5 ) / ( 2.0 * PI );
}
float V_Neubelt( float dotNV, float dotNL ) {
	return saturate( 1.0 / ( 4.0 * ( dotNL + dotNV - dotNL * dotNV ) ) );
}
vec3 BRDF_Sheen( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, vec3 sheenColor, const in float sheenRoughness ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float D = D_Charlie( sheenRoughness, dotNH );
	float V = V_Neubelt( dotNV, dotNL );
	return sheenColor * ( D * V );
}
#endif
float IBLSheenBRDF( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	float r2 = roughness * roughness;
	float a = roughness < 0.25 ? -339.2 * r2 + 161.4 * roughness - 25.9 : -8.48 * r2 + 14.3 * roughness - 9.95;
	float b = roughness < 0.25 ? 44.0 * r2 - 23.7 * roughness + 3.26 : 1.97 * r2 - 3.27 * roughness + 0.72;
	float DG = exp( a * dotNV + b ) + ( roughness < 0.25 ? 0.0 : 0.1 * ( roughness - 0.25 ) );
	return saturate( DG * RECIPROCAL_PI );
}
vec2 DFGApprox( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	const vec4 c0 = vec4( - 1, - 0.0275, - 0.572, 0.022 );
	const vec4 c1 = vec4( 1, 0.0425, 1.04, - 0.04 );
	vec4 r = roughness * c0 + c1;
	float a004 = min( r.x * r.x, exp2( - 9.28 * dotNV ) ) * r.x + r.y;
	vec2 fab = vec2( - 1.04, 1.04 ) * a004 + r.zw;
	return fab;
}
vec3 EnvironmentBRDF( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness ) {
	vec2 fab = DFGApprox( normal, viewDir, roughness );
	return specularColor * fab.x + specularF90 * fab.y;
}
#ifdef USE_IRIDESCENCE
void computeMultiscatteringIridescence( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float iridescence, const in vec3 iridescenceF0, const in float roughness, inout vec3 singleScatter, inout vec3 multiScatter ) {
#else
void computeMultiscattering( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness, inout vec3 singleScatter, inout vec3 multiScatter ) {
#endif
	vec2 fab = DFGApprox( normal, viewDir, roughness );
	#ifdef USE_IRIDESCENCE
		vec3 Fr = mix( specularColor, iridescenceF0, iridescence );
	#else
		vec3 Fr = specularColor;
	#endif
	vec3 FssEss = Fr * fab.x + specularF90 * fab.y;
	float Ess = fab.x + fab.y;
	float Ems = 1.0 - Ess;
	vec3 Favg = Fr + ( 1.0 - Fr ) * 0.047619;	vec3 Fms = FssEss * Favg / ( 1.0 - Ems * Favg );
	singleScatter += FssEss;
	multiScatter += Fms * Ems;
}
#if NUM_RECT_AREA_LIGHTS > 0
	void RE_Direct_RectArea_Physical( const in RectAreaLight rectAreaLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
		vec3 normal = geometryNormal;
		vec3 viewDir = geometryViewDir;
		vec3 position = geometryPosition;
		vec3 lightPos = rectAreaLight.position;
		vec3 halfWidth = rectAreaLight.halfWidth;
		vec3 halfHeight = rectAreaLight.halfHeight;
		vec3 lightColor = rectAreaLight.color;
		float roughness = material.roughness;
		vec3 rectCoords[ 4 ];
		rectCoords[ 0 ] = lightPos + halfWidth - halfHeight;		rectCoords[ 1 ] = lightPos - halfWidth - halfHeight;
		rectCoords[ 2 ] = lightPos - halfWidth + halfHeight;
		rectCoords[ 3 ] = lightPos + halfWidth + halfHeight;
		vec2 uv = LTC_Uv( normal, viewDir, roughness );
		vec4 t1 = texture2D( ltc_1, uv );
		vec4 t2 = texture2D( ltc_2, uv );
		mat3 mInv = mat3(
			vec3( t1.x, 0, t1.y ),
			vec3(    0, 1,    0 ),
			vec3( t1.z, 0, t1.w )
		);
		vec3 fresnel = ( material.specularColor * t2.x + ( vec3( 1.0 ) - material.specularColor ) * t2.y );
		reflectedLight.directSpecular += lightColor * fresnel * LTC_Evaluate( normal, viewDir, position, mInv, rectCoords );
		reflectedLight.directDiffuse += lightColor * material.diffuseColor * LTC_Evaluate( normal, viewDir, position, mat3( 1.0 ), rectCoords );
	}
#endif
void RE_Direct_Physical( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	#ifdef USE_CLEARCOAT
		float dotNLcc = saturate( dot( geometryClearcoatNormal, directLight.direction ) );
		vec3 ccIrradiance = dotNLcc * directLight.color;
		clearcoatSpecularDirect += ccIrradiance * BRDF_GGX_Clearcoat( directLight.direction, geometryViewDir, geometryClearcoatNormal, material );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularDirect += irradiance * BRDF_Sheen( directLight.direction, geometryViewDir, geometryNormal, material.sheenColor, material.sheenRoughness );
	#endif
	reflectedLight.directSpecular += irradiance * BRDF_GGX( directLight.direction, geometryViewDir, geometryNormal, material );
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Physical( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectSpecular_Physical( const in vec3 radiance, const in vec3 irradiance, const in vec3 clearcoatRadiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight) {
	#ifdef USE_CLEARCOAT
		clearcoatSpecularIndirect += clearcoatRadiance * EnvironmentBRDF( geometryClearcoatNormal, geometryViewDir, material.clearcoatF0, material.clearcoatF90, material.clearcoatRoughness );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularIndirect += irradiance * material.sheenColor * IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
	#endif
	vec3 singleScattering = vec3( 0.0 );
	vec3 multiScattering = vec3( 0.0 );
	vec3 cosineWeightedIrradiance = irradiance * RECIPROCAL_PI;
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( geometryNormal, geometryViewDir, material.specularColor, material.specularF90, material.iridescence, material.iridescenceFresnel, material.roughness, singleScattering, multiScattering );
	#else
		computeMultiscattering( geometryNormal, geometryViewDir, material.specularColor, material.specularF90, material.roughness, singleScattering, multiScattering );
	#endif
	vec3 totalScattering = singleScattering + multiScattering;
	vec3 diffuse = material.diffuseColor * ( 1.0 - max( max( totalScattering.r, totalScattering.g ), totalScattering.b ) );
	reflectedLight.indirectSpecular += radiance * singleScattering;
	reflectedLight.indirectSpecular += multiScattering * cosineWeightedIrradiance;
	reflectedLight.indirectDiffuse += diffuse * cosineWeightedIrradiance;
}
#define RE_Direct				RE_Direct_Physical
#define RE_Direct_RectArea		RE_Direct_RectArea_Physical
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Physical
#define RE_IndirectSpecular		RE_IndirectSpecular_Physical
float computeSpecularOcclusion( const in float dotNV, const in float ambientOcclusion, const in float roughness ) {
	return saturate( pow( dotNV + ambientOcclusion, exp2( - 16.0 * roughness - 1.0 ) ) - 1.0 + ambientOcclusion );
}`,B_=`
vec3 geometryPosition = - vViewPosition;
vec3 geometryNormal = normal;
vec3 geometryViewDir = ( isOrthographic ) ? vec3( 0, 0, 1 ) : normalize( vViewPosition );
vec3 geometryClearcoatNormal = vec3( 0.0 );
#ifdef USE_CLEARCOAT
	geometryClearcoatNormal = clearcoatNormal;
#endif
#ifdef USE_IRIDESCENCE
	float dotNVi = saturate( dot( normal, geometryViewDir ) );
	if ( material.iridescenceThickness == 0.0 ) {
		material.iridescence = 0.0;
	} else {
		material.iridescence = saturate( material.iridescence );
	}
	if ( material.iridescence > 0.0 ) {
		material.iridescenceFresnel = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.specularColor );
		material.iridescenceF0 = Schlick_to_F0( material.iridescenceFresnel, 1.0, dotNVi );
	}
#endif
IncidentLight directLight;
#if ( NUM_POINT_LIGHTS > 0 ) && defined( RE_Direct )
	PointLight pointLight;
	#if defined( USE_SHADOWMAP ) && NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHTS; i ++ ) {
		pointLight = pointLights[ i ];
		getPointLightInfo( pointLight, geometryPosition, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_POINT_LIGHT_SHADOWS )
		pointLightShadow = pointLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getPointShadow( pointShadowMap[ i ], pointLightShadow.shadowMapSize, pointLightShadow.shadowBias, pointLightShadow.shadowRadius, vPointShadowCoord[ i ], pointLightShadow.shadowCameraNear, pointLightShadow.shadowCameraFar ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SPOT_LIGHTS > 0 ) && defined( RE_Direct )
	SpotLight spotLight;
	vec4 spotColor;
	vec3 spotLightCoord;
	bool inSpotLightMap;
	#if defined( USE_SHADOWMAP ) && NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHTS; i ++ ) {
		spotLight = spotLights[ i ];
		getSpotLightInfo( spotLight, geometryPosition, directLight );
		#if ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#define SPOT_LIGHT_MAP_INDEX UNROLLED_LOOP_INDEX
		#elif ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		#define SPOT_LIGHT_MAP_INDEX NUM_SPOT_LIGHT_MAPS
		#else
		#define SPOT_LIGHT_MAP_INDEX ( UNROLLED_LOOP_INDEX - NUM_SPOT_LIGHT_SHADOWS + NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#endif
		#if ( SPOT_LIGHT_MAP_INDEX < NUM_SPOT_LIGHT_MAPS )
			spotLightCoord = vSpotLightCoord[ i ].xyz / vSpotLightCoord[ i ].w;
			inSpotLightMap = all( lessThan( abs( spotLightCoord * 2. - 1. ), vec3( 1.0 ) ) );
			spotColor = texture2D( spotLightMap[ SPOT_LIGHT_MAP_INDEX ], spotLightCoord.xy );
			directLight.color = inSpotLightMap ? directLight.color * spotColor.rgb : directLight.color;
		#endif
		#undef SPOT_LIGHT_MAP_INDEX
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		spotLightShadow = spotLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( spotShadowMap[ i ], spotLightShadow.shadowMapSize, spotLightShadow.shadowBias, spotLightShadow.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_DIR_LIGHTS > 0 ) && defined( RE_Direct )
	DirectionalLight directionalLight;
	#if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHTS; i ++ ) {
		directionalLight = directionalLights[ i ];
		getDirectionalLightInfo( directionalLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_DIR_LIGHT_SHADOWS )
		directionalLightShadow = directionalLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( directionalShadowMap[ i ], directionalLightShadow.shadowMapSize, directionalLightShadow.shadowBias, directionalLightShadow.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_RECT_AREA_LIGHTS > 0 ) && defined( RE_Direct_RectArea )
	RectAreaLight rectAreaLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_RECT_AREA_LIGHTS; i ++ ) {
		rectAreaLight = rectAreaLights[ i ];
		RE_Direct_RectArea( rectAreaLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if defined( RE_IndirectDiffuse )
	vec3 iblIrradiance = vec3( 0.0 );
	vec3 irradiance = getAmbientLightIrradiance( ambientLightColor );
	#if defined( USE_LIGHT_PROBES )
		irradiance += getLightProbeIrradiance( lightProbe, geometryNormal );
	#endif
	#if ( NUM_HEMI_LIGHTS > 0 )
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_HEMI_LIGHTS; i ++ ) {
			irradiance += getHemisphereLightIrradiance( hemisphereLights[ i ], geometryNormal );
		}
		#pragma unroll_loop_end
	#endif
#endif
#if defined( RE_IndirectSpecular )
	vec3 radiance = vec3( 0.0 );
	vec3 clearcoatRadiance = vec3( 0.0 );
#endif`,z_=`#if defined( RE_IndirectDiffuse )
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		vec3 lightMapIrradiance = lightMapTexel.rgb * lightMapIntensity;
		irradiance += lightMapIrradiance;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD ) && defined( ENVMAP_TYPE_CUBE_UV )
		iblIrradiance += getIBLIrradiance( geometryNormal );
	#endif
#endif
#if defined( USE_ENVMAP ) && defined( RE_IndirectSpecular )
	#ifdef USE_ANISOTROPY
		radiance += getIBLAnisotropyRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
	#else
		radiance += getIBLRadiance( geometryViewDir, geometryNormal, material.roughness );
	#endif
	#ifdef USE_CLEARCOAT
		clearcoatRadiance += getIBLRadiance( geometryViewDir, geometryClearcoatNormal, material.clearcoatRoughness );
	#endif
#endif`,H_=`#if defined( RE_IndirectDiffuse )
	RE_IndirectDiffuse( irradiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif
#if defined( RE_IndirectSpecular )
	RE_IndirectSpecular( radiance, iblIrradiance, clearcoatRadiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif`,V_=`#if defined( USE_LOGDEPTHBUF )
	gl_FragDepth = vIsPerspective == 0.0 ? gl_FragCoord.z : log2( vFragDepth ) * logDepthBufFC * 0.5;
#endif`,G_=`#if defined( USE_LOGDEPTHBUF )
	uniform float logDepthBufFC;
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,W_=`#ifdef USE_LOGDEPTHBUF
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,$_=`#ifdef USE_LOGDEPTHBUF
	vFragDepth = 1.0 + gl_Position.w;
	vIsPerspective = float( isPerspectiveMatrix( projectionMatrix ) );
#endif`,X_=`#ifdef USE_MAP
	vec4 sampledDiffuseColor = texture2D( map, vMapUv );
	#ifdef DECODE_VIDEO_TEXTURE
		sampledDiffuseColor = vec4( mix( pow( sampledDiffuseColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), sampledDiffuseColor.rgb * 0.0773993808, vec3( lessThanEqual( sampledDiffuseColor.rgb, vec3( 0.04045 ) ) ) ), sampledDiffuseColor.w );
	
	#endif
	diffuseColor *= sampledDiffuseColor;
#endif`,Y_=`#ifdef USE_MAP
	uniform sampler2D map;
#endif`,q_=`#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
	#if defined( USE_POINTS_UV )
		vec2 uv = vUv;
	#else
		vec2 uv = ( uvTransform * vec3( gl_PointCoord.x, 1.0 - gl_PointCoord.y, 1 ) ).xy;
	#endif
#endif
#ifdef USE_MAP
	diffuseColor *= texture2D( map, uv );
#endif
#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, uv ).g;
#endif`,j_=`#if defined( USE_POINTS_UV )
	varying vec2 vUv;
#else
	#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
		uniform mat3 uvTransform;
	#endif
#endif
#ifdef USE_MAP
	uniform sampler2D map;
#endif
#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,K_=`float metalnessFactor = metalness;
#ifdef USE_METALNESSMAP
	vec4 texelMetalness = texture2D( metalnessMap, vMetalnessMapUv );
	metalnessFactor *= texelMetalness.b;
#endif`,Z_=`#ifdef USE_METALNESSMAP
	uniform sampler2D metalnessMap;
#endif`,J_=`#ifdef USE_INSTANCING_MORPH
	float morphTargetInfluences[MORPHTARGETS_COUNT];
	float morphTargetBaseInfluence = texelFetch( morphTexture, ivec2( 0, gl_InstanceID ), 0 ).r;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		morphTargetInfluences[i] =  texelFetch( morphTexture, ivec2( i + 1, gl_InstanceID ), 0 ).r;
	}
#endif`,Q_=`#if defined( USE_MORPHCOLORS ) && defined( MORPHTARGETS_TEXTURE )
	vColor *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		#if defined( USE_COLOR_ALPHA )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ) * morphTargetInfluences[ i ];
		#elif defined( USE_COLOR )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ).rgb * morphTargetInfluences[ i ];
		#endif
	}
#endif`,e0=`#ifdef USE_MORPHNORMALS
	objectNormal *= morphTargetBaseInfluence;
	#ifdef MORPHTARGETS_TEXTURE
		for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
			if ( morphTargetInfluences[ i ] != 0.0 ) objectNormal += getMorph( gl_VertexID, i, 1 ).xyz * morphTargetInfluences[ i ];
		}
	#else
		objectNormal += morphNormal0 * morphTargetInfluences[ 0 ];
		objectNormal += morphNormal1 * morphTargetInfluences[ 1 ];
		objectNormal += morphNormal2 * morphTargetInfluences[ 2 ];
		objectNormal += morphNormal3 * morphTargetInfluences[ 3 ];
	#endif
#endif`,t0=`#ifdef USE_MORPHTARGETS
	#ifndef USE_INSTANCING_MORPH
		uniform float morphTargetBaseInfluence;
	#endif
	#ifdef MORPHTARGETS_TEXTURE
		#ifndef USE_INSTANCING_MORPH
			uniform float morphTargetInfluences[ MORPHTARGETS_COUNT ];
		#endif
		uniform sampler2DArray morphTargetsTexture;
		uniform ivec2 morphTargetsTextureSize;
		vec4 getMorph( const in int vertexIndex, const in int morphTargetIndex, const in int offset ) {
			int texelIndex = vertexIndex * MORPHTARGETS_TEXTURE_STRIDE + offset;
			int y = texelIndex / morphTargetsTextureSize.x;
			int x = texelIndex - y * morphTargetsTextureSize.x;
			ivec3 morphUV = ivec3( x, y, morphTargetIndex );
			return texelFetch( morphTargetsTexture, morphUV, 0 );
		}
	#else
		#ifndef USE_MORPHNORMALS
			uniform float morphTargetInfluences[ 8 ];
		#else
			uniform float morphTargetInfluences[ 4 ];
		#endif
	#endif
#endif`,n0=`#ifdef USE_MORPHTARGETS
	transformed *= morphTargetBaseInfluence;
	#ifdef MORPHTARGETS_TEXTURE
		for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
			if ( morphTargetInfluences[ i ] != 0.0 ) transformed += getMorph( gl_VertexID, i, 0 ).xyz * morphTargetInfluences[ i ];
		}
	#else
		transformed += morphTarget0 * morphTargetInfluences[ 0 ];
		transformed += morphTarget1 * morphTargetInfluences[ 1 ];
		transformed += morphTarget2 * morphTargetInfluences[ 2 ];
		transformed += morphTarget3 * morphTargetInfluences[ 3 ];
		#ifndef USE_MORPHNORMALS
			transformed += morphTarget4 * morphTargetInfluences[ 4 ];
			transformed += morphTarget5 * morphTargetInfluences[ 5 ];
			transformed += morphTarget6 * morphTargetInfluences[ 6 ];
			transformed += morphTarget7 * morphTargetInfluences[ 7 ];
		#endif
	#endif
#endif`,i0=`float faceDirection = gl_FrontFacing ? 1.0 : - 1.0;
#ifdef FLAT_SHADED
	vec3 fdx = dFdx( vViewPosition );
	vec3 fdy = dFdy( vViewPosition );
	vec3 normal = normalize( cross( fdx, fdy ) );
#else
	vec3 normal = normalize( vNormal );
	#ifdef DOUBLE_SIDED
		normal *= faceDirection;
	#endif
#endif
#if defined( USE_NORMALMAP_TANGENTSPACE ) || defined( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY )
	#ifdef USE_TANGENT
		mat3 tbn = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn = getTangentFrame( - vViewPosition, normal,
		#if defined( USE_NORMALMAP )
			vNormalMapUv
		#elif defined( USE_CLEARCOAT_NORMALMAP )
			vClearcoatNormalMapUv
		#else
			vUv
		#endif
		);
	#endif
	#if defined( DOUBLE_SIDED ) && ! defined( FLAT_SHADED )
		tbn[0] *= faceDirection;
		tbn[1] *= faceDirection;
	#endif
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	#ifdef USE_TANGENT
		mat3 tbn2 = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn2 = getTangentFrame( - vViewPosition, normal, vClearcoatNormalMapUv );
	#endif
	#if defined( DOUBLE_SIDED ) && ! defined( FLAT_SHADED )
		tbn2[0] *= faceDirection;
		tbn2[1] *= faceDirection;
	#endif
#endif
vec3 nonPerturbedNormal = normal;`,s0=`#ifdef USE_NORMALMAP_OBJECTSPACE
	normal = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#ifdef FLIP_SIDED
		normal = - normal;
	#endif
	#ifdef DOUBLE_SIDED
		normal = normal * faceDirection;
	#endif
	normal = normalize( normalMatrix * normal );
#elif defined( USE_NORMALMAP_TANGENTSPACE )
	vec3 mapN = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	mapN.xy *= normalScale;
	normal = normalize( tbn * mapN );
#elif defined( USE_BUMPMAP )
	normal = perturbNormalArb( - vViewPosition, normal, dHdxy_fwd(), faceDirection );
#endif`,r0=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,o0=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,a0=`#ifndef FLAT_SHADED
	vNormal = normalize( transformedNormal );
	#ifdef USE_TANGENT
		vTangent = normalize( transformedTangent );
		vBitangent = normalize( cross( vNormal, vTangent ) * tangent.w );
	#endif
#endif`,l0=`#ifdef USE_NORMALMAP
	uniform sampler2D normalMap;
	uniform vec2 normalScale;
#endif
#ifdef USE_NORMALMAP_OBJECTSPACE
	uniform mat3 normalMatrix;
#endif
#if ! defined ( USE_TANGENT ) && ( defined ( USE_NORMALMAP_TANGENTSPACE ) || defined ( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY ) )
	mat3 getTangentFrame( vec3 eye_pos, vec3 surf_norm, vec2 uv ) {
		vec3 q0 = dFdx( eye_pos.xyz );
		vec3 q1 = dFdy( eye_pos.xyz );
		vec2 st0 = dFdx( uv.st );
		vec2 st1 = dFdy( uv.st );
		vec3 N = surf_norm;
		vec3 q1perp = cross( q1, N );
		vec3 q0perp = cross( N, q0 );
		vec3 T = q1perp * st0.x + q0perp * st1.x;
		vec3 B = q1perp * st0.y + q0perp * st1.y;
		float det = max( dot( T, T ), dot( B, B ) );
		float scale = ( det == 0.0 ) ? 0.0 : inversesqrt( det );
		return mat3( T * scale, B * scale, N );
	}
#endif`,c0=`#ifdef USE_CLEARCOAT
	vec3 clearcoatNormal = nonPerturbedNormal;
#endif`,u0=`#ifdef USE_CLEARCOAT_NORMALMAP
	vec3 clearcoatMapN = texture2D( clearcoatNormalMap, vClearcoatNormalMapUv ).xyz * 2.0 - 1.0;
	clearcoatMapN.xy *= clearcoatNormalScale;
	clearcoatNormal = normalize( tbn2 * clearcoatMapN );
#endif`,h0=`#ifdef USE_CLEARCOATMAP
	uniform sampler2D clearcoatMap;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform sampler2D clearcoatNormalMap;
	uniform vec2 clearcoatNormalScale;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform sampler2D clearcoatRoughnessMap;
#endif`,f0=`#ifdef USE_IRIDESCENCEMAP
	uniform sampler2D iridescenceMap;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform sampler2D iridescenceThicknessMap;
#endif`,d0=`#ifdef OPAQUE
diffuseColor.a = 1.0;
#endif
#ifdef USE_TRANSMISSION
diffuseColor.a *= material.transmissionAlpha;
#endif
gl_FragColor = vec4( outgoingLight, diffuseColor.a );`,p0=`vec3 packNormalToRGB( const in vec3 normal ) {
	return normalize( normal ) * 0.5 + 0.5;
}
vec3 unpackRGBToNormal( const in vec3 rgb ) {
	return 2.0 * rgb.xyz - 1.0;
}
const float PackUpscale = 256. / 255.;const float UnpackDownscale = 255. / 256.;
const vec3 PackFactors = vec3( 256. * 256. * 256., 256. * 256., 256. );
const vec4 UnpackFactors = UnpackDownscale / vec4( PackFactors, 1. );
const float ShiftRight8 = 1. / 256.;
vec4 packDepthToRGBA( const in float v ) {
	vec4 r = vec4( fract( v * PackFactors ), v );
	r.yzw -= r.xyz * ShiftRight8;	return r * PackUpscale;
}
float unpackRGBAToDepth( const in vec4 v ) {
	return dot( v, UnpackFactors );
}
vec2 packDepthToRG( in highp float v ) {
	return packDepthToRGBA( v ).yx;
}
float unpackRGToDepth( const in highp vec2 v ) {
	return unpackRGBAToDepth( vec4( v.xy, 0.0, 0.0 ) );
}
vec4 pack2HalfToRGBA( vec2 v ) {
	vec4 r = vec4( v.x, fract( v.x * 255.0 ), v.y, fract( v.y * 255.0 ) );
	return vec4( r.x - r.y / 255.0, r.y, r.z - r.w / 255.0, r.w );
}
vec2 unpackRGBATo2Half( vec4 v ) {
	return vec2( v.x + ( v.y / 255.0 ), v.z + ( v.w / 255.0 ) );
}
float viewZToOrthographicDepth( const in float viewZ, const in float near, const in float far ) {
	return ( viewZ + near ) / ( near - far );
}
float orthographicDepthToViewZ( const in float depth, const in float near, const in float far ) {
	return depth * ( near - far ) - near;
}
float viewZToPerspectiveDepth( const in float viewZ, const in float near, const in float far ) {
	return ( ( near + viewZ ) * far ) / ( ( far - near ) * viewZ );
}
float perspectiveDepthToViewZ( const in float depth, const in float near, const in float far ) {
	return ( near * far ) / ( ( far - near ) * depth - far );
}`,m0=`#ifdef PREMULTIPLIED_ALPHA
	gl_FragColor.rgb *= gl_FragColor.a;
#endif`,g0=`vec4 mvPosition = vec4( transformed, 1.0 );
#ifdef USE_BATCHING
	mvPosition = batchingMatrix * mvPosition;
#endif
#ifdef USE_INSTANCING
	mvPosition = instanceMatrix * mvPosition;
#endif
mvPosition = modelViewMatrix * mvPosition;
gl_Position = projectionMatrix * mvPosition;`,_0=`#ifdef DITHERING
	gl_FragColor.rgb = dithering( gl_FragColor.rgb );
#endif`,v0=`#ifdef DITHERING
	vec3 dithering( vec3 color ) {
		float grid_position = rand( gl_FragCoord.xy );
		vec3 dither_shift_RGB = vec3( 0.25 / 255.0, -0.25 / 255.0, 0.25 / 255.0 );
		dither_shift_RGB = mix( 2.0 * dither_shift_RGB, -2.0 * dither_shift_RGB, grid_position );
		return color + dither_shift_RGB;
	}
#endif`,x0=`float roughnessFactor = roughness;
#ifdef USE_ROUGHNESSMAP
	vec4 texelRoughness = texture2D( roughnessMap, vRoughnessMapUv );
	roughnessFactor *= texelRoughness.g;
#endif`,M0=`#ifdef USE_ROUGHNESSMAP
	uniform sampler2D roughnessMap;
#endif`,S0=`#if NUM_SPOT_LIGHT_COORDS > 0
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#if NUM_SPOT_LIGHT_MAPS > 0
	uniform sampler2D spotLightMap[ NUM_SPOT_LIGHT_MAPS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform sampler2D directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		uniform sampler2D spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		struct SpotLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform sampler2D pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
	float texture2DCompare( sampler2D depths, vec2 uv, float compare ) {
		return step( compare, unpackRGBAToDepth( texture2D( depths, uv ) ) );
	}
	vec2 texture2DDistribution( sampler2D shadow, vec2 uv ) {
		return unpackRGBATo2Half( texture2D( shadow, uv ) );
	}
	float VSMShadow (sampler2D shadow, vec2 uv, float compare ){
		float occlusion = 1.0;
		vec2 distribution = texture2DDistribution( shadow, uv );
		float hard_shadow = step( compare , distribution.x );
		if (hard_shadow != 1.0 ) {
			float distance = compare - distribution.x ;
			float variance = max( 0.00000, distribution.y * distribution.y );
			float softness_probability = variance / (variance + distance * distance );			softness_probability = clamp( ( softness_probability - 0.3 ) / ( 0.95 - 0.3 ), 0.0, 1.0 );			occlusion = clamp( max( hard_shadow, softness_probability ), 0.0, 1.0 );
		}
		return occlusion;
	}
	float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
		float shadow = 1.0;
		shadowCoord.xyz /= shadowCoord.w;
		shadowCoord.z += shadowBias;
		bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
		bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
		if ( frustumTest ) {
		#if defined( SHADOWMAP_TYPE_PCF )
			vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
			float dx0 = - texelSize.x * shadowRadius;
			float dy0 = - texelSize.y * shadowRadius;
			float dx1 = + texelSize.x * shadowRadius;
			float dy1 = + texelSize.y * shadowRadius;
			float dx2 = dx0 / 2.0;
			float dy2 = dy0 / 2.0;
			float dx3 = dx1 / 2.0;
			float dy3 = dy1 / 2.0;
			shadow = (
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx0, dy0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx1, dy0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx2, dy2 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy2 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx3, dy2 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx0, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx2, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy, shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx3, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx1, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx2, dy3 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy3 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx3, dy3 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx0, dy1 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( 0.0, dy1 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, shadowCoord.xy + vec2( dx1, dy1 ), shadowCoord.z )
			) * ( 1.0 / 17.0 );
		#elif defined( SHADOWMAP_TYPE_PCF_SOFT )
			vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
			float dx = texelSize.x;
			float dy = texelSize.y;
			vec2 uv = shadowCoord.xy;
			vec2 f = fract( uv * shadowMapSize + 0.5 );
			uv -= f * texelSize;
			shadow = (
				texture2DCompare( shadowMap, uv, shadowCoord.z ) +
				texture2DCompare( shadowMap, uv + vec2( dx, 0.0 ), shadowCoord.z ) +
				texture2DCompare( shadowMap, uv + vec2( 0.0, dy ), shadowCoord.z ) +
				texture2DCompare( shadowMap, uv + texelSize, shadowCoord.z ) +
				mix( texture2DCompare( shadowMap, uv + vec2( -dx, 0.0 ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, 0.0 ), shadowCoord.z ),
					 f.x ) +
				mix( texture2DCompare( shadowMap, uv + vec2( -dx, dy ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, dy ), shadowCoord.z ),
					 f.x ) +
				mix( texture2DCompare( shadowMap, uv + vec2( 0.0, -dy ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( 0.0, 2.0 * dy ), shadowCoord.z ),
					 f.y ) +
				mix( texture2DCompare( shadowMap, uv + vec2( dx, -dy ), shadowCoord.z ),
					 texture2DCompare( shadowMap, uv + vec2( dx, 2.0 * dy ), shadowCoord.z ),
					 f.y ) +
				mix( mix( texture2DCompare( shadowMap, uv + vec2( -dx, -dy ), shadowCoord.z ),
						  texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, -dy ), shadowCoord.z ),
						  f.x ),
					 mix( texture2DCompare( shadowMap, uv + vec2( -dx, 2.0 * dy ), shadowCoord.z ),
						  texture2DCompare( shadowMap, uv + vec2( 2.0 * dx, 2.0 * dy ), shadowCoord.z ),
						  f.x ),
					 f.y )
			) * ( 1.0 / 9.0 );
		#elif defined( SHADOWMAP_TYPE_VSM )
			shadow = VSMShadow( shadowMap, shadowCoord.xy, shadowCoord.z );
		#else
			shadow = texture2DCompare( shadowMap, shadowCoord.xy, shadowCoord.z );
		#endif
		}
		return shadow;
	}
	vec2 cubeToUV( vec3 v, float texelSizeY ) {
		vec3 absV = abs( v );
		float scaleToCube = 1.0 / max( absV.x, max( absV.y, absV.z ) );
		absV *= scaleToCube;
		v *= scaleToCube * ( 1.0 - 2.0 * texelSizeY );
		vec2 planar = v.xy;
		float almostATexel = 1.5 * texelSizeY;
		float almostOne = 1.0 - almostATexel;
		if ( absV.z >= almostOne ) {
			if ( v.z > 0.0 )
				planar.x = 4.0 - v.x;
		} else if ( absV.x >= almostOne ) {
			float signX = sign( v.x );
			planar.x = v.z * signX + 2.0 * signX;
		} else if ( absV.y >= almostOne ) {
			float signY = sign( v.y );
			planar.x = v.x + 2.0 * signY + 2.0;
			planar.y = v.z * signY - 2.0;
		}
		return vec2( 0.125, 0.25 ) * planar + vec2( 0.375, 0.75 );
	}
	float getPointShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		
		float lightToPositionLength = length( lightToPosition );
		if ( lightToPositionLength - shadowCameraFar <= 0.0 && lightToPositionLength - shadowCameraNear >= 0.0 ) {
			float dp = ( lightToPositionLength - shadowCameraNear ) / ( shadowCameraFar - shadowCameraNear );			dp += shadowBias;
			vec3 bd3D = normalize( lightToPosition );
			vec2 texelSize = vec2( 1.0 ) / ( shadowMapSize * vec2( 4.0, 2.0 ) );
			#if defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_PCF_SOFT ) || defined( SHADOWMAP_TYPE_VSM )
				vec2 offset = vec2( - 1, 1 ) * shadowRadius * texelSize.y;
				shadow = (
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xyy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yyy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xyx, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yyx, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xxy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yxy, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.xxx, texelSize.y ), dp ) +
					texture2DCompare( shadowMap, cubeToUV( bd3D + offset.yxx, texelSize.y ), dp )
				) * ( 1.0 / 9.0 );
			#else
				shadow = texture2DCompare( shadowMap, cubeToUV( bd3D, texelSize.y ), dp );
			#endif
		}
		return shadow;
	}
#endif`,y0=`#if NUM_SPOT_LIGHT_COORDS > 0
	uniform mat4 spotLightMatrix[ NUM_SPOT_LIGHT_COORDS ];
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform mat4 directionalShadowMatrix[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		struct SpotLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform mat4 pointShadowMatrix[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
#endif`,E0=`#if ( defined( USE_SHADOWMAP ) && ( NUM_DIR_LIGHT_SHADOWS > 0 || NUM_POINT_LIGHT_SHADOWS > 0 ) ) || ( NUM_SPOT_LIGHT_COORDS > 0 )
	vec3 shadowWorldNormal = inverseTransformDirection( transformedNormal, viewMatrix );
	vec4 shadowWorldPosition;
#endif
#if defined( USE_SHADOWMAP )
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * directionalLightShadows[ i ].shadowNormalBias, 0 );
			vDirectionalShadowCoord[ i ] = directionalShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * pointLightShadows[ i ].shadowNormalBias, 0 );
			vPointShadowCoord[ i ] = pointShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
#endif
#if NUM_SPOT_LIGHT_COORDS > 0
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_COORDS; i ++ ) {
		shadowWorldPosition = worldPosition;
		#if ( defined( USE_SHADOWMAP ) && UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
			shadowWorldPosition.xyz += shadowWorldNormal * spotLightShadows[ i ].shadowNormalBias;
		#endif
		vSpotLightCoord[ i ] = spotLightMatrix[ i ] * shadowWorldPosition;
	}
	#pragma unroll_loop_end
#endif`,b0=`float getShadowMask() {
	float shadow = 1.0;
	#ifdef USE_SHADOWMAP
	#if NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
		directionalLight = directionalLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( directionalShadowMap[ i ], directionalLight.shadowMapSize, directionalLight.shadowBias, directionalLight.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_SHADOWS; i ++ ) {
		spotLight = spotLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( spotShadowMap[ i ], spotLight.shadowMapSize, spotLight.shadowBias, spotLight.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
		pointLight = pointLightShadows[ i ];
		shadow *= receiveShadow ? getPointShadow( pointShadowMap[ i ], pointLight.shadowMapSize, pointLight.shadowBias, pointLight.shadowRadius, vPointShadowCoord[ i ], pointLight.shadowCameraNear, pointLight.shadowCameraFar ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#endif
	return shadow;
}`,w0=`#ifdef USE_SKINNING
	mat4 boneMatX = getBoneMatrix( skinIndex.x );
	mat4 boneMatY = getBoneMatrix( skinIndex.y );
	mat4 boneMatZ = getBoneMatrix( skinIndex.z );
	mat4 boneMatW = getBoneMatrix( skinIndex.w );
#endif`,T0=`#ifdef USE_SKINNING
	uniform mat4 bindMatrix;
	uniform mat4 bindMatrixInverse;
	uniform highp sampler2D boneTexture;
	mat4 getBoneMatrix( const in float i ) {
		int size = textureSize( boneTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( boneTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( boneTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( boneTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( boneTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,A0=`#ifdef USE_SKINNING
	vec4 skinVertex = bindMatrix * vec4( transformed, 1.0 );
	vec4 skinned = vec4( 0.0 );
	skinned += boneMatX * skinVertex * skinWeight.x;
	skinned += boneMatY * skinVertex * skinWeight.y;
	skinned += boneMatZ * skinVertex * skinWeight.z;
	skinned += boneMatW * skinVertex * skinWeight.w;
	transformed = ( bindMatrixInverse * skinned ).xyz;
#endif`,R0=`#ifdef USE_SKINNING
	mat4 skinMatrix = mat4( 0.0 );
	skinMatrix += skinWeight.x * boneMatX;
	skinMatrix += skinWeight.y * boneMatY;
	skinMatrix += skinWeight.z * boneMatZ;
	skinMatrix += skinWeight.w * boneMatW;
	skinMatrix = bindMatrixInverse * skinMatrix * bindMatrix;
	objectNormal = vec4( skinMatrix * vec4( objectNormal, 0.0 ) ).xyz;
	#ifdef USE_TANGENT
		objectTangent = vec4( skinMatrix * vec4( objectTangent, 0.0 ) ).xyz;
	#endif
#endif`,C0=`float specularStrength;
#ifdef USE_SPECULARMAP
	vec4 texelSpecular = texture2D( specularMap, vSpecularMapUv );
	specularStrength = texelSpecular.r;
#else
	specularStrength = 1.0;
#endif`,P0=`#ifdef USE_SPECULARMAP
	uniform sampler2D specularMap;
#endif`,L0=`#if defined( TONE_MAPPING )
	gl_FragColor.rgb = toneMapping( gl_FragColor.rgb );
#endif`,D0=`#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
uniform float toneMappingExposure;
vec3 LinearToneMapping( vec3 color ) {
	return saturate( toneMappingExposure * color );
}
vec3 ReinhardToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	return saturate( color / ( vec3( 1.0 ) + color ) );
}
vec3 OptimizedCineonToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	color = max( vec3( 0.0 ), color - 0.004 );
	return pow( ( color * ( 6.2 * color + 0.5 ) ) / ( color * ( 6.2 * color + 1.7 ) + 0.06 ), vec3( 2.2 ) );
}
vec3 RRTAndODTFit( vec3 v ) {
	vec3 a = v * ( v + 0.0245786 ) - 0.000090537;
	vec3 b = v * ( 0.983729 * v + 0.4329510 ) + 0.238081;
	return a / b;
}
vec3 ACESFilmicToneMapping( vec3 color ) {
	const mat3 ACESInputMat = mat3(
		vec3( 0.59719, 0.07600, 0.02840 ),		vec3( 0.35458, 0.90834, 0.13383 ),
		vec3( 0.04823, 0.01566, 0.83777 )
	);
	const mat3 ACESOutputMat = mat3(
		vec3(  1.60475, -0.10208, -0.00327 ),		vec3( -0.53108,  1.10813, -0.07276 ),
		vec3( -0.07367, -0.00605,  1.07602 )
	);
	color *= toneMappingExposure / 0.6;
	color = ACESInputMat * color;
	color = RRTAndODTFit( color );
	color = ACESOutputMat * color;
	return saturate( color );
}
const mat3 LINEAR_REC2020_TO_LINEAR_SRGB = mat3(
	vec3( 1.6605, - 0.1246, - 0.0182 ),
	vec3( - 0.5876, 1.1329, - 0.1006 ),
	vec3( - 0.0728, - 0.0083, 1.1187 )
);
const mat3 LINEAR_SRGB_TO_LINEAR_REC2020 = mat3(
	vec3( 0.6274, 0.0691, 0.0164 ),
	vec3( 0.3293, 0.9195, 0.0880 ),
	vec3( 0.0433, 0.0113, 0.8956 )
);
vec3 agxDefaultContrastApprox( vec3 x ) {
	vec3 x2 = x * x;
	vec3 x4 = x2 * x2;
	return + 15.5 * x4 * x2
		- 40.14 * x4 * x
		+ 31.96 * x4
		- 6.868 * x2 * x
		+ 0.4298 * x2
		+ 0.1191 * x
		- 0.00232;
}
vec3 AgXToneMapping( vec3 color ) {
	const mat3 AgXInsetMatrix = mat3(
		vec3( 0.856627153315983, 0.137318972929847, 0.11189821299995 ),
		vec3( 0.0951212405381588, 0.761241990602591, 0.0767994186031903 ),
		vec3( 0.0482516061458583, 0.101439036467562, 0.811302368396859 )
	);
	const mat3 AgXOutsetMatrix = mat3(
		vec3( 1.1271005818144368, - 0.1413297634984383, - 0.14132976349843826 ),
		vec3( - 0.11060664309660323, 1.157823702216272, - 0.11060664309660294 ),
		vec3( - 0.016493938717834573, - 0.016493938717834257, 1.2519364065950405 )
	);
	const float AgxMinEv = - 12.47393;	const float AgxMaxEv = 4.026069;
	color *= toneMappingExposure;
	color = LINEAR_SRGB_TO_LINEAR_REC2020 * color;
	color = AgXInsetMatrix * color;
	color = max( color, 1e-10 );	color = log2( color );
	color = ( color - AgxMinEv ) / ( AgxMaxEv - AgxMinEv );
	color = clamp( color, 0.0, 1.0 );
	color = agxDefaultContrastApprox( color );
	color = AgXOutsetMatrix * color;
	color = pow( max( vec3( 0.0 ), color ), vec3( 2.2 ) );
	color = LINEAR_REC2020_TO_LINEAR_SRGB * color;
	color = clamp( color, 0.0, 1.0 );
	return color;
}
vec3 NeutralToneMapping( vec3 color ) {
	const float StartCompression = 0.8 - 0.04;
	const float Desaturation = 0.15;
	color *= toneMappingExposure;
	float x = min( color.r, min( color.g, color.b ) );
	float offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
	color -= offset;
	float peak = max( color.r, max( color.g, color.b ) );
	if ( peak < StartCompression ) return color;
	float d = 1. - StartCompression;
	float newPeak = 1. - d * d / ( peak + d - StartCompression );
	color *= newPeak / peak;
	float g = 1. - 1. / ( Desaturation * ( peak - newPeak ) + 1. );
	return mix( color, vec3( newPeak ), g );
}
vec3 CustomToneMapping( vec3 color ) { return color; }`,U0=`#ifdef USE_TRANSMISSION
	material.transmission = transmission;
	material.transmissionAlpha = 1.0;
	material.thickness = thickness;
	material.attenuationDistance = attenuationDistance;
	material.attenuationColor = attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		material.transmission *= texture2D( transmissionMap, vTransmissionMapUv ).r;
	#endif
	#ifdef USE_THICKNESSMAP
		material.thickness *= texture2D( thicknessMap, vThicknessMapUv ).g;
	#endif
	vec3 pos = vWorldPosition;
	vec3 v = normalize( cameraPosition - pos );
	vec3 n = inverseTransformDirection( normal, viewMatrix );
	vec4 transmitted = getIBLVolumeRefraction(
		n, v, material.roughness, material.diffuseColor, material.specularColor, material.specularF90,
		pos, modelMatrix, viewMatrix, projectionMatrix, material.dispersion, material.ior, material.thickness,
		material.attenuationColor, material.attenuationDistance );
	material.transmissionAlpha = mix( material.transmissionAlpha, transmitted.a, material.transmission );
	totalDiffuse = mix( totalDiffuse, transmitted.rgb, material.transmission );
#endif`,I0=`#ifdef USE_TRANSMISSION
	uniform float transmission;
	uniform float thickness;
	uniform float attenuationDistance;
	uniform vec3 attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		uniform sampler2D transmissionMap;
	#endif
	#ifdef USE_THICKNESSMAP
		uniform sampler2D thicknessMap;
	#endif
	uniform vec2 transmissionSamplerSize;
	uniform sampler2D transmissionSamplerMap;
	uniform mat4 modelMatrix;
	uniform mat4 projectionMatrix;
	varying vec3 vWorldPosition;
	float w0( float a ) {
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - a + 3.0 ) - 3.0 ) + 1.0 );
	}
	float w1( float a ) {
		return ( 1.0 / 6.0 ) * ( a *  a * ( 3.0 * a - 6.0 ) + 4.0 );
	}
	float w2( float a ){
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - 3.0 * a + 3.0 ) + 3.0 ) + 1.0 );
	}
	float w3( float a ) {
		return ( 1.0 / 6.0 ) * ( a * a * a );
	}
	float g0( float a ) {
		return w0( a ) + w1( a );
	}
	float g1( float a ) {
		return w2( a ) + w3( a );
	}
	float h0( float a ) {
		return - 1.0 + w1( a ) / ( w0( a ) + w1( a ) );
	}
	float h1( float a ) {
		return 1.0 + w3( a ) / ( w2( a ) + w3( a ) );
	}
	vec4 bicubic( sampler2D tex, vec2 uv, vec4 texelSize, float lod ) {
		uv = uv * texelSize.zw + 0.5;
		vec2 iuv = floor( uv );
		vec2 fuv = fract( uv );
		float g0x = g0( fuv.x );
		float g1x = g1( fuv.x );
		float h0x = h0( fuv.x );
		float h1x = h1( fuv.x );
		float h0y = h0( fuv.y );
		float h1y = h1( fuv.y );
		vec2 p0 = ( vec2( iuv.x + h0x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p1 = ( vec2( iuv.x + h1x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p2 = ( vec2( iuv.x + h0x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		vec2 p3 = ( vec2( iuv.x + h1x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		return g0( fuv.y ) * ( g0x * textureLod( tex, p0, lod ) + g1x * textureLod( tex, p1, lod ) ) +
			g1( fuv.y ) * ( g0x * textureLod( tex, p2, lod ) + g1x * textureLod( tex, p3, lod ) );
	}
	vec4 textureBicubic( sampler2D sampler, vec2 uv, float lod ) {
		vec2 fLodSize = vec2( textureSize( sampler, int( lod ) ) );
		vec2 cLodSize = vec2( textureSize( sampler, int( lod + 1.0 ) ) );
		vec2 fLodSizeInv = 1.0 / fLodSize;
		vec2 cLodSizeInv = 1.0 / cLodSize;
		vec4 fSample = bicubic( sampler, uv, vec4( fLodSizeInv, fLodSize ), floor( lod ) );
		vec4 cSample = bicubic( sampler, uv, vec4( cLodSizeInv, cLodSize ), ceil( lod ) );
		return mix( fSample, cSample, fract( lod ) );
	}
	vec3 getVolumeTransmissionRay( const in vec3 n, const in vec3 v, const in float thickness, const in float ior, const in mat4 modelMatrix ) {
		vec3 refractionVector = refract( - v, normalize( n ), 1.0 / ior );
		vec3 modelScale;
		modelScale.x = length( vec3( modelMatrix[ 0 ].xyz ) );
		modelScale.y = length( vec3( modelMatrix[ 1 ].xyz ) );
		modelScale.z = length( vec3( modelMatrix[ 2 ].xyz ) );
		return normalize( refractionVector ) * thickness * modelScale;
	}
	float applyIorToRoughness( const in float roughness, const in float ior ) {
		return roughness * clamp( ior * 2.0 - 2.0, 0.0, 1.0 );
	}
	vec4 getTransmissionSample( const in vec2 fragCoord, const in float roughness, const in float ior ) {
		float lod = log2( transmissionSamplerSize.x ) * applyIorToRoughness( roughness, ior );
		return textureBicubic( transmissionSamplerMap, fragCoord.xy, lod );
	}
	vec3 volumeAttenuation( const in float transmissionDistance, const in vec3 attenuationColor, const in float attenuationDistance ) {
		if ( isinf( attenuationDistance ) ) {
			return vec3( 1.0 );
		} else {
			vec3 attenuationCoefficient = -log( attenuationColor ) / attenuationDistance;
			vec3 transmittance = exp( - attenuationCoefficient * transmissionDistance );			return transmittance;
		}
	}
	vec4 getIBLVolumeRefraction( const in vec3 n, const in vec3 v, const in float roughness, const in vec3 diffuseColor,
		const in vec3 specularColor, const in float specularF90, const in vec3 position, const in mat4 modelMatrix,
		const in mat4 viewMatrix, const in mat4 projMatrix, const in float dispersion, const in float ior, const in float thickness,
		const in vec3 attenuationColor, const in float attenuationDistance ) {
		vec4 transmittedLight;
		vec3 transmittance;
		#ifdef USE_DISPERSION
			float halfSpread = ( ior - 1.0 ) * 0.025 * dispersion;
			vec3 iors = vec3( ior - halfSpread, ior, ior + halfSpread );
			for ( int i = 0; i < 3; i ++ ) {
				vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, iors[ i ], modelMatrix );
				vec3 refractedRayExit = position + transmissionRay;
		
				vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
				vec2 refractionCoords = ndcPos.xy / ndcPos.w;
				refractionCoords += 1.0;
				refractionCoords /= 2.0;
		
				vec4 transmissionSample = getTransmissionSample( refractionCoords, roughness, iors[ i ] );
				transmittedLight[ i ] = transmissionSample[ i ];
				transmittedLight.a += transmissionSample.a;
				transmittance[ i ] = diffuseColor[ i ] * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance )[ i ];
			}
			transmittedLight.a /= 3.0;
		
		#else
		
			vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, ior, modelMatrix );
			vec3 refractedRayExit = position + transmissionRay;
			vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
			vec2 refractionCoords = ndcPos.xy / ndcPos.w;
			refractionCoords += 1.0;
			refractionCoords /= 2.0;
			transmittedLight = getTransmissionSample( refractionCoords, roughness, ior );
			transmittance = diffuseColor * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance );
		
		#endif
		vec3 attenuatedColor = transmittance * transmittedLight.rgb;
		vec3 F = EnvironmentBRDF( n, v, specularColor, specularF90, roughness );
		float transmittanceFactor = ( transmittance.r + transmittance.g + transmittance.b ) / 3.0;
		return vec4( ( 1.0 - F ) * attenuatedColor, 1.0 - ( 1.0 - transmittedLight.a ) * transmittanceFactor );
	}
#endif`,N0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_SPECULARMAP
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,O0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	uniform mat3 mapTransform;
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	uniform mat3 alphaMapTransform;
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	uniform mat3 lightMapTransform;
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	uniform mat3 aoMapTransform;
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	uniform mat3 bumpMapTransform;
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	uniform mat3 normalMapTransform;
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_DISPLACEMENTMAP
	uniform mat3 displacementMapTransform;
	varying vec2 vDisplacementMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	uniform mat3 emissiveMapTransform;
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	uniform mat3 metalnessMapTransform;
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	uniform mat3 roughnessMapTransform;
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	uniform mat3 anisotropyMapTransform;
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	uniform mat3 clearcoatMapTransform;
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform mat3 clearcoatNormalMapTransform;
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform mat3 clearcoatRoughnessMapTransform;
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	uniform mat3 sheenColorMapTransform;
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	uniform mat3 sheenRoughnessMapTransform;
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	uniform mat3 iridescenceMapTransform;
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform mat3 iridescenceThicknessMapTransform;
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SPECULARMAP
	uniform mat3 specularMapTransform;
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	uniform mat3 specularColorMapTransform;
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	uniform mat3 specularIntensityMapTransform;
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,F0=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	vUv = vec3( uv, 1 ).xy;
#endif
#ifdef USE_MAP
	vMapUv = ( mapTransform * vec3( MAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ALPHAMAP
	vAlphaMapUv = ( alphaMapTransform * vec3( ALPHAMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_LIGHTMAP
	vLightMapUv = ( lightMapTransform * vec3( LIGHTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_AOMAP
	vAoMapUv = ( aoMapTransform * vec3( AOMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_BUMPMAP
	vBumpMapUv = ( bumpMapTransform * vec3( BUMPMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_NORMALMAP
	vNormalMapUv = ( normalMapTransform * vec3( NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DISPLACEMENTMAP
	vDisplacementMapUv = ( displacementMapTransform * vec3( DISPLACEMENTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_EMISSIVEMAP
	vEmissiveMapUv = ( emissiveMapTransform * vec3( EMISSIVEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_METALNESSMAP
	vMetalnessMapUv = ( metalnessMapTransform * vec3( METALNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ROUGHNESSMAP
	vRoughnessMapUv = ( roughnessMapTransform * vec3( ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ANISOTROPYMAP
	vAnisotropyMapUv = ( anisotropyMapTransform * vec3( ANISOTROPYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOATMAP
	vClearcoatMapUv = ( clearcoatMapTransform * vec3( CLEARCOATMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	vClearcoatNormalMapUv = ( clearcoatNormalMapTransform * vec3( CLEARCOAT_NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	vClearcoatRoughnessMapUv = ( clearcoatRoughnessMapTransform * vec3( CLEARCOAT_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCEMAP
	vIridescenceMapUv = ( iridescenceMapTransform * vec3( IRIDESCENCEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	vIridescenceThicknessMapUv = ( iridescenceThicknessMapTransform * vec3( IRIDESCENCE_THICKNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_COLORMAP
	vSheenColorMapUv = ( sheenColorMapTransform * vec3( SHEEN_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	vSheenRoughnessMapUv = ( sheenRoughnessMapTransform * vec3( SHEEN_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULARMAP
	vSpecularMapUv = ( specularMapTransform * vec3( SPECULARMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_COLORMAP
	vSpecularColorMapUv = ( specularColorMapTransform * vec3( SPECULAR_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	vSpecularIntensityMapUv = ( specularIntensityMapTransform * vec3( SPECULAR_INTENSITYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_TRANSMISSIONMAP
	vTransmissionMapUv = ( transmissionMapTransform * vec3( TRANSMISSIONMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_THICKNESSMAP
	vThicknessMapUv = ( thicknessMapTransform * vec3( THICKNESSMAP_UV, 1 ) ).xy;
#endif`,k0=`#if defined( USE_ENVMAP ) || defined( DISTANCE ) || defined ( USE_SHADOWMAP ) || defined ( USE_TRANSMISSION ) || NUM_SPOT_LIGHT_COORDS > 0
	vec4 worldPosition = vec4( transformed, 1.0 );
	#ifdef USE_BATCHING
		worldPosition = batchingMatrix * worldPosition;
	#endif
	#ifdef USE_INSTANCING
		worldPosition = instanceMatrix * worldPosition;
	#endif
	worldPosition = modelMatrix * worldPosition;
#endif`;const B0=`varying vec2 vUv;
uniform mat3 uvTransform;
void main() {
	vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	gl_Position = vec4( position.xy, 1.0, 1.0 );
}`,z0=`uniform sampler2D t2D;
uniform float backgroundIntensity;
varying vec2 vUv;
void main() {
	vec4 texColor = texture2D( t2D, vUv );
	#ifdef DECODE_VIDEO_TEXTURE
		texColor = vec4( mix( pow( texColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), texColor.rgb * 0.0773993808, vec3( lessThanEqual( texColor.rgb, vec3( 0.04045 ) ) ) ), texColor.w );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,H0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,V0=`#ifdef ENVMAP_TYPE_CUBE
	uniform samplerCube envMap;
#elif defined( ENVMAP_TYPE_CUBE_UV )
	uniform sampler2D envMap;
#endif
uniform float flipEnvMap;
uniform float backgroundBlurriness;
uniform float backgroundIntensity;
uniform mat3 backgroundRotation;
varying vec3 vWorldDirection;
#include <cube_uv_reflection_fragment>
void main() {
	#ifdef ENVMAP_TYPE_CUBE
		vec4 texColor = textureCube( envMap, backgroundRotation * vec3( flipEnvMap * vWorldDirection.x, vWorldDirection.yz ) );
	#elif defined( ENVMAP_TYPE_CUBE_UV )
		vec4 texColor = textureCubeUV( envMap, backgroundRotation * vWorldDirection, backgroundBlurriness );
	#else
		vec4 texColor = vec4( 0.0, 0.0, 0.0, 1.0 );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,G0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,W0=`uniform samplerCube tCube;
uniform float tFlip;
uniform float opacity;
varying vec3 vWorldDirection;
void main() {
	vec4 texColor = textureCube( tCube, vec3( tFlip * vWorldDirection.x, vWorldDirection.yz ) );
	gl_FragColor = texColor;
	gl_FragColor.a *= opacity;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,$0=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
varying vec2 vHighPrecisionZW;
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vHighPrecisionZW = gl_Position.zw;
}`,X0=`#if DEPTH_PACKING == 3200
	uniform float opacity;
#endif
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
varying vec2 vHighPrecisionZW;
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#if DEPTH_PACKING == 3200
		diffuseColor.a = opacity;
	#endif
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <logdepthbuf_fragment>
	float fragCoordZ = 0.5 * vHighPrecisionZW[0] / vHighPrecisionZW[1] + 0.5;
	#if DEPTH_PACKING == 3200
		gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );
	#elif DEPTH_PACKING == 3201
		gl_FragColor = packDepthToRGBA( fragCoordZ );
	#endif
}`,Y0=`#define DISTANCE
varying vec3 vWorldPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <worldpos_vertex>
	#include <clipping_planes_vertex>
	vWorldPosition = worldPosition.xyz;
}`,q0=`#define DISTANCE
uniform vec3 referencePosition;
uniform float nearDistance;
uniform float farDistance;
varying vec3 vWorldPosition;
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <clipping_planes_pars_fragment>
void main () {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	float dist = length( vWorldPosition - referencePosition );
	dist = ( dist - nearDistance ) / ( farDistance - nearDistance );
	dist = saturate( dist );
	gl_FragColor = packDepthToRGBA( dist );
}`,j0=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
}`,K0=`uniform sampler2D tEquirect;
varying vec3 vWorldDirection;
#include <common>
void main() {
	vec3 direction = normalize( vWorldDirection );
	vec2 sampleUV = equirectUv( direction );
	gl_FragColor = texture2D( tEquirect, sampleUV );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,Z0=`uniform float scale;
attribute float lineDistance;
varying float vLineDistance;
#include <common>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	vLineDistance = scale * lineDistance;
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,J0=`uniform vec3 diffuse;
uniform float opacity;
uniform float dashSize;
uniform float totalSize;
varying float vLineDistance;
#include <common>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	if ( mod( vLineDistance, totalSize ) > dashSize ) {
		discard;
	}
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,Q0=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#if defined ( USE_ENVMAP ) || defined ( USE_SKINNING )
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinbase_vertex>
		#include <skinnormal_vertex>
		#include <defaultnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <fog_vertex>
}`,ev=`uniform vec3 diffuse;
uniform float opacity;
#ifndef FLAT_SHADED
	varying vec3 vNormal;
#endif
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		reflectedLight.indirectDiffuse += lightMapTexel.rgb * lightMapIntensity * RECIPROCAL_PI;
	#else
		reflectedLight.indirectDiffuse += vec3( 1.0 );
	#endif
	#include <aomap_fragment>
	reflectedLight.indirectDiffuse *= diffuseColor.rgb;
	vec3 outgoingLight = reflectedLight.indirectDiffuse;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,tv=`#define LAMBERT
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,nv=`#define LAMBERT
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_lambert_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_lambert_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,iv=`#define MATCAP
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <displacementmap_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
	vViewPosition = - mvPosition.xyz;
}`,sv=`#define MATCAP
uniform vec3 diffuse;
uniform float opacity;
uniform sampler2D matcap;
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	vec3 viewDir = normalize( vViewPosition );
	vec3 x = normalize( vec3( viewDir.z, 0.0, - viewDir.x ) );
	vec3 y = cross( viewDir, x );
	vec2 uv = vec2( dot( x, normal ), dot( y, normal ) ) * 0.495 + 0.5;
	#ifdef USE_MATCAP
		vec4 matcapColor = texture2D( matcap, uv );
	#else
		vec4 matcapColor = vec4( vec3( mix( 0.2, 0.8, uv.y ) ), 1.0 );
	#endif
	vec3 outgoingLight = diffuseColor.rgb * matcapColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,rv=`#define NORMAL
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	vViewPosition = - mvPosition.xyz;
#endif
}`,ov=`#define NORMAL
uniform float opacity;
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <packing>
#include <uv_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 0.0, 0.0, 0.0, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	gl_FragColor = vec4( packNormalToRGB( normal ), diffuseColor.a );
	#ifdef OPAQUE
		gl_FragColor.a = 1.0;
	#endif
}`,av=`#define PHONG
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,lv=`#define PHONG
uniform vec3 diffuse;
uniform vec3 emissive;
uniform vec3 specular;
uniform float shininess;
uniform float opacity;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_phong_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_phong_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + reflectedLight.directSpecular + reflectedLight.indirectSpecular + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,cv=`#define STANDARD
varying vec3 vViewPosition;
#ifdef USE_TRANSMISSION
	varying vec3 vWorldPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
#ifdef USE_TRANSMISSION
	vWorldPosition = worldPosition.xyz;
#endif
}`,uv=`#define STANDARD
#ifdef PHYSICAL
	#define IOR
	#define USE_SPECULAR
#endif
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float roughness;
uniform float metalness;
uniform float opacity;
#ifdef IOR
	uniform float ior;
#endif
#ifdef USE_SPECULAR
	uniform float specularIntensity;
	uniform vec3 specularColor;
	#ifdef USE_SPECULAR_COLORMAP
		uniform sampler2D specularColorMap;
	#endif
	#ifdef USE_SPECULAR_INTENSITYMAP
		uniform sampler2D specularIntensityMap;
	#endif
#endif
#ifdef USE_CLEARCOAT
	uniform float clearcoat;
	uniform float clearcoatRoughness;
#endif
#ifdef USE_DISPERSION
	uniform float dispersion;
#endif
#ifdef USE_IRIDESCENCE
	uniform float iridescence;
	uniform float iridescenceIOR;
	uniform float iridescenceThicknessMinimum;
	uniform float iridescenceThicknessMaximum;
#endif
#ifdef USE_SHEEN
	uniform vec3 sheenColor;
	uniform float sheenRoughness;
	#ifdef USE_SHEEN_COLORMAP
		uniform sampler2D sheenColorMap;
	#endif
	#ifdef USE_SHEEN_ROUGHNESSMAP
		uniform sampler2D sheenRoughnessMap;
	#endif
#endif
#ifdef USE_ANISOTROPY
	uniform vec2 anisotropyVector;
	#ifdef USE_ANISOTROPYMAP
		uniform sampler2D anisotropyMap;
	#endif
#endif
varying vec3 vViewPosition;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <iridescence_fragment>
#include <cube_uv_reflection_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_physical_pars_fragment>
#include <transmission_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <clearcoat_pars_fragment>
#include <iridescence_pars_fragment>
#include <roughnessmap_pars_fragment>
#include <metalnessmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <roughnessmap_fragment>
	#include <metalnessmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <clearcoat_normal_fragment_begin>
	#include <clearcoat_normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_physical_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 totalDiffuse = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse;
	vec3 totalSpecular = reflectedLight.directSpecular + reflectedLight.indirectSpecular;
	#include <transmission_fragment>
	vec3 outgoingLight = totalDiffuse + totalSpecular + totalEmissiveRadiance;
	#ifdef USE_SHEEN
		float sheenEnergyComp = 1.0 - 0.157 * max3( material.sheenColor );
		outgoingLight = outgoingLight * sheenEnergyComp + sheenSpecularDirect + sheenSpecularIndirect;
	#endif
	#ifdef USE_CLEARCOAT
		float dotNVcc = saturate( dot( geometryClearcoatNormal, geometryViewDir ) );
		vec3 Fcc = F_Schlick( material.clearcoatF0, material.clearcoatF90, dotNVcc );
		outgoingLight = outgoingLight * ( 1.0 - material.clearcoat * Fcc ) + ( clearcoatSpecularDirect + clearcoatSpecularIndirect ) * material.clearcoat;
	#endif
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,hv=`#define TOON
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,fv=`#define TOON
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <packing>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <gradientmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_toon_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_toon_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,dv=`uniform float size;
uniform float scale;
#include <common>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
#ifdef USE_POINTS_UV
	varying vec2 vUv;
	uniform mat3 uvTransform;
#endif
void main() {
	#ifdef USE_POINTS_UV
		vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	#endif
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	gl_PointSize = size;
	#ifdef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) gl_PointSize *= ( scale / - mvPosition.z );
	#endif
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <fog_vertex>
}`,pv=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <color_pars_fragment>
#include <map_particle_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_particle_fragment>
	#include <color_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,mv=`#include <common>
#include <batching_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <shadowmap_pars_vertex>
void main() {
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,gv=`uniform vec3 color;
uniform float opacity;
#include <common>
#include <packing>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <logdepthbuf_pars_fragment>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
void main() {
	#include <logdepthbuf_fragment>
	gl_FragColor = vec4( color, opacity * ( 1.0 - getShadowMask() ) );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,_v=`uniform float rotation;
uniform vec2 center;
#include <common>
#include <uv_pars_vertex>
#include <fog_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	vec4 mvPosition = modelViewMatrix * vec4( 0.0, 0.0, 0.0, 1.0 );
	vec2 scale;
	scale.x = length( vec3( modelMatrix[ 0 ].x, modelMatrix[ 0 ].y, modelMatrix[ 0 ].z ) );
	scale.y = length( vec3( modelMatrix[ 1 ].x, modelMatrix[ 1 ].y, modelMatrix[ 1 ].z ) );
	#ifndef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) scale *= - mvPosition.z;
	#endif
	vec2 alignedPosition = ( position.xy - ( center - vec2( 0.5 ) ) ) * scale;
	vec2 rotatedPosition;
	rotatedPosition.x = cos( rotation ) * alignedPosition.x - sin( rotation ) * alignedPosition.y;
	rotatedPosition.y = sin( rotation ) * alignedPosition.x + cos( rotation ) * alignedPosition.y;
	mvPosition.xy += rotatedPosition;
	gl_Position = projectionMatrix * mvPosition;
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,vv=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,st={alphahash_fragment:zg,alphahash_pars_fragment:Hg,alphamap_fragment:Vg,alphamap_pars_fragment:Gg,alphatest_fragment:Wg,alphatest_pars_fragment:$g,aomap_fragment:Xg,aomap_pars_fragment:Yg,batching_pars_vertex:qg,batching_vertex:jg,begin_vertex:Kg,beginnormal_vertex:Zg,bsdfs:Jg,iridescence_fragment:Qg,bumpmap_pars_fragment:e_,clipping_planes_fragment:t_,clipping_planes_pars_fragment:n_,clipping_planes_pars_vertex:i_,clipping_planes_vertex:s_,color_fragment:r_,color_pars_fragment:o_,color_pars_vertex:a_,color_vertex:l_,common:c_,cube_uv_reflection_fragment:u_,defaultnormal_vertex:h_,displacementmap_pars_vertex:f_,displacementmap_vertex:d_,emissivemap_fragment:p_,emissivemap_pars_fragment:m_,colorspace_fragment:g_,colorspace_pars_fragment:__,envmap_fragment:v_,envmap_common_pars_fragment:x_,envmap_pars_fragment:M_,envmap_pars_vertex:S_,envmap_physical_pars_fragment:D_,envmap_vertex:y_,fog_vertex:E_,fog_pars_vertex:b_,fog_fragment:w_,fog_pars_fragment:T_,gradientmap_pars_fragment:A_,lightmap_pars_fragment:R_,lights_lambert_fragment:C_,lights_lambert_pars_fragment:P_,lights_pars_begin:L_,lights_toon_fragment:U_,lights_toon_pars_fragment:I_,lights_phong_fragment:N_,lights_phong_pars_fragment:O_,lights_physical_fragment:F_,lights_physical_pars_fragment:k_,lights_fragment_begin:B_,lights_fragment_maps:z_,lights_fragment_end:H_,logdepthbuf_fragment:V_,logdepthbuf_pars_fragment:G_,logdepthbuf_pars_vertex:W_,logdepthbuf_vertex:$_,map_fragment:X_,map_pars_fragment:Y_,map_particle_fragment:q_,map_particle_pars_fragment:j_,metalnessmap_fragment:K_,metalnessmap_pars_fragment:Z_,morphinstance_vertex:J_,morphcolor_vertex:Q_,morphnormal_vertex:e0,morphtarget_pars_vertex:t0,morphtarget_vertex:n0,normal_fragment_begin:i0,normal_fragment_maps:s0,normal_pars_fragment:r0,normal_pars_vertex:o0,normal_vertex:a0,normalmap_pars_fragment:l0,clearcoat_normal_fragment_begin:c0,clearcoat_normal_fragment_maps:u0,clearcoat_pars_fragment:h0,iridescence_pars_fragment:f0,opaque_fragment:d0,packing:p0,premultiplied_alpha_fragment:m0,project_vertex:g0,dithering_fragment:_0,dithering_pars_fragment:v0,roughnessmap_fragment:x0,roughnessmap_pars_fragment:M0,shadowmap_pars_fragment:S0,shadowmap_pars_vertex:y0,shadowmap_vertex:E0,shadowmask_pars_fragment:b0,skinbase_vertex:w0,skinning_pars_vertex:T0,skinning_vertex:A0,skinnormal_vertex:R0,specularmap_fragment:C0,specularmap_pars_fragment:P0,tonemapping_fragment:L0,tonemapping_pars_fragment:D0,transmission_fragment:U0,transmission_pars_fragment:I0,uv_pars_fragment:N0,uv_pars_vertex:O0,uv_vertex:F0,worldpos_vertex:k0,background_vert:B0,background_frag:z0,backgroundCube_vert:H0,backgroundCube_frag:V0,cube_vert:G0,cube_frag:W0,depth_vert:$0,depth_frag:X0,distanceRGBA_vert:Y0,distanceRGBA_frag:q0,equirect_vert:j0,equirect_frag:K0,linedashed_vert:Z0,linedashed_frag:J0,meshbasic_vert:Q0,meshbasic_frag:ev,meshlambert_vert:tv,meshlambert_frag:nv,meshmatcap_vert:iv,meshmatcap_frag:sv,meshnormal_vert:rv,meshnormal_frag:ov,meshphong_vert:av,meshphong_frag:lv,meshphysical_vert:cv,meshphysical_frag:uv,meshtoon_vert:hv,meshtoon_frag:fv,points_vert:dv,points_frag:pv,shadow_vert:mv,shadow_frag:gv,sprite_vert:_v,sprite_frag:vv},Ie={common:{diffuse:{value:new St(16777215)},opacity:{value:1},map:{value:null},mapTransform:{value:new rt},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0}},specularmap:{specularMap:{value:null},specularMapTransform:{value:new rt}},envmap:{envMap:{value:null},envMapRotation:{value:new rt},flipEnvMap:{value:-1},reflectivity:{value:1},ior:{value:1.5},refractionRatio:{value:.98}},aomap:{aoMap:{value:null},aoMapIntensity:{value:1},aoMapTransform:{value:new rt}},lightmap:{lightMap:{value:null},lightMapIntensity:{value:1},lightMapTransform:{value:new rt}},bumpmap:{bumpMap:{value:null},bumpMapTransform:{value:new rt},bumpScale:{value:1}},normalmap:{normalMap:{value:null},normalMapTransform:{value:new rt},normalScale:{value:new ze(1,1)}},displacementmap:{displacementMap:{value:null},displacementMapTransform:{value:new rt},displacementScale:{value:1},displacementBias:{value:0}},emissivemap:{emissiveMap:{value:null},emissiveMapTransform:{value:new rt}},metalnessmap:{metalnessMap:{value:null},metalnessMapTransform:{value:new rt}},roughnessmap:{roughnessMap:{value:null},roughnessMapTransform:{value:new rt}},gradientmap:{gradientMap:{value:null}},fog:{fogDensity:{value:25e-5},fogNear:{value:1},fogFar:{value:2e3},fogColor:{value:new St(16777215)}},lights:{ambientLightColor:{value:[]},lightProbe:{value:[]},directionalLights:{value:[],properties:{direction:{},color:{}}},directionalLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},directionalShadowMap:{value:[]},directionalShadowMatrix:{value:[]},spotLights:{value:[],properties:{color:{},position:{},direction:{},distance:{},coneCos:{},penumbraCos:{},decay:{}}},spotLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},spotLightMap:{value:[]},spotShadowMap:{value:[]},spotLightMatrix:{value:[]},pointLights:{value:[],properties:{color:{},position:{},decay:{},distance:{}}},pointLightShadows:{value:[],properties:{shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{},shadowCameraNear:{},shadowCameraFar:{}}},pointShadowMap:{value:[]},pointShadowMatrix:{value:[]},hemisphereLights:{value:[],properties:{direction:{},skyColor:{},groundColor:{}}},rectAreaLights:{value:[],properties:{color:{},position:{},width:{},height:{}}},ltc_1:{value:null},ltc_2:{value:null}},points:{diffuse:{value:new St(16777215)},opacity:{value:1},size:{value:1},scale:{value:1},map:{value:null},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0},uvTransform:{value:new rt}},sprite:{diffuse:{value:new St(16777215)},opacity:{value:1},center:{value:new ze(.5,.5)},rotation:{value:0},map:{value:null},mapTransform:{value:new rt},alphaMap:{value:null},alphaMapTransform:{value:new rt},alphaTest:{value:0}}},Mi={basic:{uniforms:En([Ie.common,Ie.specularmap,Ie.envmap,Ie.aomap,Ie.lightmap,Ie.fog]),vertexShader:st.meshbasic_vert,fragmentShader:st.meshbasic_frag},lambert:{uniforms:En([Ie.common,Ie.specularmap,Ie.envmap,Ie.aomap,Ie.lightmap,Ie.emissivemap,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.fog,Ie.lights,{emissive:{value:new St(0)}}]),vertexShader:st.meshlambert_vert,fragmentShader:st.meshlambert_frag},phong:{uniforms:En([Ie.common,Ie.specularmap,Ie.envmap,Ie.aomap,Ie.lightmap,Ie.emissivemap,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.fog,Ie.lights,{emissive:{value:new St(0)},specular:{value:new St(1118481)},shininess:{value:30}}]),vertexShader:st.meshphong_vert,fragmentShader:st.meshphong_frag},standard:{uniforms:En([Ie.common,Ie.envmap,Ie.aomap,Ie.lightmap,Ie.emissivemap,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.roughnessmap,Ie.metalnessmap,Ie.fog,Ie.lights,{emissive:{value:new St(0)},roughness:{value:1},metalness:{value:0},envMapIntensity:{value:1}}]),vertexShader:st.meshphysical_vert,fragmentShader:st.meshphysical_frag},toon:{uniforms:En([Ie.common,Ie.aomap,Ie.lightmap,Ie.emissivemap,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.gradientmap,Ie.fog,Ie.lights,{emissive:{value:new St(0)}}]),vertexShader:st.meshtoon_vert,fragmentShader:st.meshtoon_frag},matcap:{uniforms:En([Ie.common,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,Ie.fog,{matcap:{value:null}}]),vertexShader:st.meshmatcap_vert,fragmentShader:st.meshmatcap_frag},points:{uniforms:En([Ie.points,Ie.fog]),vertexShader:st.points_vert,fragmentShader:st.points_frag},dashed:{uniforms:En([Ie.common,Ie.fog,{scale:{value:1},dashSize:{value:1},totalSize:{value:2}}]),vertexShader:st.linedashed_vert,fragmentShader:st.linedashed_frag},depth:{uniforms:En([Ie.common,Ie.displacementmap]),vertexShader:st.depth_vert,fragmentShader:st.depth_frag},normal:{uniforms:En([Ie.common,Ie.bumpmap,Ie.normalmap,Ie.displacementmap,{opacity:{value:1}}]),vertexShader:st.meshnormal_vert,fragmentShader:st.meshnormal_frag},sprite:{uniforms:En([Ie.sprite,Ie.fog]),vertexShader:st.sprite_vert,fragmentShader:st.sprite_frag},background:{uniforms:{uvTransform:{value:new rt},t2D:{value:null},backgroundIntensity:{value:1}},vertexShader:st.background_vert,fragmentShader:st.background_frag},backgroundCube:{uniforms:{envMap:{value:null},flipEnvMap:{value:-1},backgroundBlurriness:{value:0},backgroundIntensity:{value:1},backgroundRotation:{value:new rt}},vertexShader:st.backgroundCube_vert,fragmentShader:st.backgroundCube_frag},cube:{uniforms:{tCube:{value:null},tFlip:{value:-1},opacity:{value:1}},vertexShader:st.cube_vert,fragmentShader:st.cube_frag},equirect:{uniforms:{tEquirect:{value:null}},vertexShader:st.equirect_vert,fragmentShader:st.equirect_frag},distanceRGBA:{uniforms:En([Ie.common,Ie.displacementmap,{referencePosition:{value:new Y},nearDistance:{value:1},farDistance:{value:1e3}}]),vertexShader:st.distanceRGBA_vert,fragmentShader:st.distanceRGBA_frag},shadow:{uniforms:En([Ie.lights,Ie.fog,{color:{value:new St(0)},opacity:{value:1}}]),vertexShader:st.shadow_vert,fragmentShader:st.shadow_frag}};Mi.physical={uniforms:En([Mi.standard.uniforms,{clearcoat:{value:0},clearcoatMap:{value:null},clearcoatMapTransform:{value:new rt},clearcoatNormalMap:{value:null},clearcoatNormalMapTransform:{value:new rt},clearcoatNormalScale:{value:new ze(1,1)},clearcoatRoughness:{value:0},clearcoatRoughnessMap:{value:null},clearcoatRoughnessMapTransform:{value:new rt},dispersion:{value:0},iridescence:{value:0},iridescenceMap:{value:null},iridescenceMapTransform:{value:new rt},iridescenceIOR:{value:1.3},iridescenceThicknessMinimum:{value:100},iridescenceThicknessMaximum:{value:400},iridescenceThicknessMap:{value:null},iridescenceThicknessMapTransform:{value:new rt},sheen:{value:0},sheenColor:{value:new St(0)},sheenColorMap:{value:null},sheenColorMapTransform:{value:new rt},sheenRoughness:{value:1},sheenRoughnessMap:{value:null},sheenRoughnessMapTransform:{value:new rt},transmission:{value:0},transmissionMap:{value:null},transmissionMapTransform:{value:new rt},transmissionSamplerSize:{value:new ze},transmissionSamplerMap:{value:null},thickness:{value:0},thicknessMap:{value:null},thicknessMapTransform:{value:new rt},attenuationDistance:{value:0},attenuationColor:{value:new St(0)},specularColor:{value:new St(1,1,1)},specularColorMap:{value:null},specularColorMapTransform:{value:new rt},specularIntensity:{value:1},specularIntensityMap:{value:null},specularIntensityMapTransform:{value:new rt},anisotropyVector:{value:new ze},anisotropyMap:{value:null},anisotropyMapTransform:{value:new rt}}]),vertexShader:st.meshphysical_vert,fragmentShader:st.meshphysical_frag};const Bo={r:0,b:0,g:0},ds=new Fi,xv=new zt;function Mv(i,e,t,n,s,r,o){const a=new St(0);let l=r===!0?0:1,c,u,h=null,f=0,p=null;function _(y){let M=y.isScene===!0?y.background:null;return M&&M.isTexture&&(M=(y.backgroundBlurriness>0?t:e).get(M)),M}function x(y){let M=!1;const w=_(y);w===null?d(a,l):w&&w.isColor&&(d(w,1),M=!0);const V=i.xr.getEnvironmentBlendMode();V==="additive"?n.buffers.color.setClear(0,0,0,1,o):V==="alpha-blend"&&n.buffers.color.setClear(0,0,0,0,o),(i.autoClear||M)&&i.clear(i.autoClearColor,i.autoClearDepth,i.autoClearStencil)}function m(y,M){const w=_(M);w&&(w.isCubeTexture||w.mapping===da)?(u===void 0&&(u=new Dn(new uo(1,1,1),new Ei({name:"BackgroundCubeMaterial",uniforms:yr(Mi.backgroundCube.uniforms),vertexShader:Mi.backgroundCube.vertexShader,fragmentShader:Mi.backgroundCube.fragmentShader,side:Un,depthTest:!1,depthWrite:!1,fog:!1})),u.geometry.deleteAttribute("normal"),u.geometry.deleteAttribute("uv"),u.onBeforeRender=function(V,T,C){this.matrixWorld.copyPosition(C.matrixWorld)},Object.defineProperty(u.material,"envMap",{get:function(){return this.uniforms.envMap.value}}),s.update(u)),ds.copy(M.backgroundRotation),ds.x*=-1,ds.y*=-1,ds.z*=-1,w.isCubeTexture&&w.isRenderTargetTexture===!1&&(ds.y*=-1,ds.z*=-1),u.material.uniforms.envMap.value=w,u.material.uniforms.flipEnvMap.value=w.isCubeTexture&&w.isRenderTargetTexture===!1?-1:1,u.material.uniforms.backgroundBlurriness.value=M.backgroundBlurriness,u.material.uniforms.backgroundIntensity.value=M.backgroundIntensity,u.material.uniforms.backgroundRotation.value.setFromMatrix4(xv.makeRotationFromEuler(ds)),u.material.toneMapped=vt.getTransfer(w.colorSpace)!==Pt,(h!==w||f!==w.version||p!==i.toneMapping)&&(u.material.needsUpdate=!0,h=w,f=w.version,p=i.toneMapping),u.layers.enableAll(),y.unshift(u,u.geometry,u.material,0,0,null)):w&&w.isTexture&&(c===void 0&&(c=new Dn(new _a(2,2),new Ei({name:"BackgroundMaterial",uniforms:yr(Mi.background.uniforms),vertexShader:Mi.background.vertexShader,fragmentShader:Mi.background.fragmentShader,side:is,depthTest:!1,depthWrite:!1,fog:!1})),c.geometry.deleteAttribute("normal"),Object.defineProperty(c.material,"map",{get:function(){return this.uniforms.t2D.value}}),s.update(c)),c.material.uniforms.t2D.value=w,c.material.uniforms.backgroundIntensity.value=M.backgroundIntensity,c.material.toneMapped=vt.getTransfer(w.colorSpace)!==Pt,w.matrixAutoUpdate===!0&&w.updateMatrix(),c.material.uniforms.uvTransform.value.copy(w.matrix),(h!==w||f!==w.version||p!==i.toneMapping)&&(c.material.needsUpdate=!0,h=w,f=w.version,p=i.toneMapping),c.layers.enableAll(),y.unshift(c,c.geometry,c.material,0,0,null))}function d(y,M){y.getRGB(Bo,Md(i)),n.buffers.color.setClear(Bo.r,Bo.g,Bo.b,M,o)}return{getClearColor:function(){return a},setClearColor:function(y,M=1){a.set(y),l=M,d(a,l)},getClearAlpha:function(){return l},setClearAlpha:function(y){l=y,d(a,l)},render:x,addToRenderList:m}}function Sv(i,e){const t=i.getParameter(i.MAX_VERTEX_ATTRIBS),n={},s=f(null);let r=s,o=!1;function a(v,D,H,L,j){let q=!1;const te=h(L,H,D);r!==te&&(r=te,c(r.object)),q=p(v,L,H,j),q&&_(v,L,H,j),j!==null&&e.update(j,i.ELEMENT_ARRAY_BUFFER),(q||o)&&(o=!1,w(v,D,H,L),j!==null&&i.bindBuffer(i.ELEMENT_ARRAY_BUFFER,e.get(j).buffer))}function l(){return i.createVertexArray()}function c(v){return i.bindVertexArray(v)}function u(v){return i.deleteVertexArray(v)}function h(v,D,H){const L=H.wireframe===!0;let j=n[v.id];j===void 0&&(j={},n[v.id]=j);let q=j[D.id];q===void 0&&(q={},j[D.id]=q);let te=q[L];return te===void 0&&(te=f(l()),q[L]=te),te}function f(v){const D=[],H=[],L=[];for(let j=0;j<t;j++)D[j]=0,H[j]=0,L[j]=0;return{geometry:null,program:null,wireframe:!1,newAttributes:D,enabledAttributes:H,attributeDivisors:L,object:v,attributes:{},index:null}}function p(v,D,H,L){const j=r.attributes,q=D.attributes;let te=0;const ie=H.getAttributes();for(const ne in ie)if(ie[ne].location>=0){const G=j[ne];let ce=q[ne];if(ce===void 0&&(ne==="instanceMatrix"&&v.instanceMatrix&&(ce=v.instanceMatrix),ne==="instanceColor"&&v.instanceColor&&(ce=v.instanceColor)),G===void 0||G.attribute!==ce||ce&&G.data!==ce.data)return!0;te++}return r.attributesNum!==te||r.index!==L}function _(v,D,H,L){const j={},q=D.attributes;let te=0;const ie=H.getAttributes();for(const ne in ie)if(ie[ne].location>=0){let G=q[ne];G===void 0&&(ne==="instanceMatrix"&&v.instanceMatrix&&(G=v.instanceMatrix),ne==="instanceColor"&&v.instanceColor&&(G=v.instanceColor));const ce={};ce.attribute=G,G&&G.data&&(ce.data=G.data),j[ne]=ce,te++}r.attributes=j,r.attributesNum=te,r.index=L}function x(){const v=r.newAttributes;for(let D=0,H=v.length;D<H;D++)v[D]=0}function m(v){d(v,0)}function d(v,D){const H=r.newAttributes,L=r.enabledAttributes,j=r.attributeDivisors;H[v]=1,L[v]===0&&(i.enableVertexAttribArray(v),L[v]=1),j[v]!==D&&(i.vertexAttribDivisor(v,D),j[v]=D)}function y(){const v=r.newAttributes,D=r.enabledAttributes;for(let H=0,L=D.length;H<L;H++)D[H]!==v[H]&&(i.disableVertexAttribArray(H),D[H]=0)}function M(v,D,H,L,j,q,te){te===!0?i.vertexAttribIPointer(v,D,H,j,q):i.vertexAttribPointer(v,D,H,L,j,q)}function w(v,D,H,L){x();const j=L.attributes,q=H.getAttributes(),te=D.defaultAttributeValues;for(const ie in q){const ne=q[ie];if(ne.location>=0){let fe=j[ie];if(fe===void 0&&(ie==="instanceMatrix"&&v.instanceMatrix&&(fe=v.instanceMatrix),ie==="instanceColor"&&v.instanceColor&&(fe=v.instanceColor)),fe!==void 0){const G=fe.normalized,ce=fe.itemSize,F=e.get(fe);if(F===void 0)continue;const B=F.buffer,N=F.type,W=F.bytesPerElement,J=N===i.INT||N===i.UNSIGNED_INT||fe.gpuType===ad;if(fe.isInterleavedBufferAttribute){const Q=fe.data,K=Q.stride,X=fe.offset;if(Q.isInstancedInterleavedBuffer){for(let O=0;O<ne.locationSize;O++)d(ne.location+O,Q.meshPerAttribute);v.isInstancedMesh!==!0&&L._maxInstanceCount===void 0&&(L._maxInstanceCount=Q.meshPerAttribute*Q.count)}else for(let O=0;O<ne.locationSize;O++)m(ne.location+O);i.bindBuffer(i.ARRAY_BUFFER,B);for(let O=0;O<ne.locationSize;O++)M(ne.location+O,ce/ne.locationSize,N,G,K*W,(X+ce/ne.locationSize*O)*W,J)}else{if(fe.isInstancedBufferAttribute){for(let Q=0;Q<ne.locationSize;Q++)d(ne.location+Q,fe.meshPerAttribute);v.isInstancedMesh!==!0&&L._maxInstanceCount===void 0&&(L._maxInstanceCount=fe.meshPerAttribute*fe.count)}else for(let Q=0;Q<ne.locationSize;Q++)m(ne.location+Q);i.bindBuffer(i.ARRAY_BUFFER,B);for(let Q=0;Q<ne.locationSize;Q++)M(ne.location+Q,ce/ne.locationSize,N,G,ce*W,ce/ne.locationSize*Q*W,J)}}else if(te!==void 0){const G=te[ie];if(G!==void 0)switch(G.length){case 2:i.vertexAttrib2fv(ne.location,G);break;case 3:i.vertexAttrib3fv(ne.location,G);break;case 4:i.vertexAttrib4fv(ne.location,G);break;default:i.vertexAttrib1fv(ne.location,G)}}}}y()}function V(){U();for(const v in n){const D=n[v];for(const H in D){const L=D[H];for(const j in L)u(L[j].object),delete L[j];delete D[H]}delete n[v]}}function T(v){if(n[v.id]===void 0)return;const D=n[v.id];for(const H in D){const L=D[H];for(const j in L)u(L[j].object),delete L[j];delete D[H]}delete n[v.id]}function C(v){for(const D in n){const H=n[D];if(H[v.id]===void 0)continue;const L=H[v.id];for(const j in L)u(L[j].object),delete L[j];delete H[v.id]}}function U(){E(),o=!0,r!==s&&(r=s,c(r.object))}function E(){s.geometry=null,s.program=null,s.wireframe=!1}return{setup:a,reset:U,resetDefaultState:E,dispose:V,releaseStatesOfGeometry:T,releaseStatesOfProgram:C,initAttributes:x,enableAttribute:m,disableUnusedAttributes:y}}function yv(i,e,t){let n;function s(c){n=c}function r(c,u){i.drawArrays(n,c,u),t.update(u,n,1)}function o(c,u,h){h!==0&&(i.drawArraysInstanced(n,c,u,h),t.update(u,n,h))}function a(c,u,h){if(h===0)return;const f=e.get("WEBGL_multi_draw");if(f===null)for(let p=0;p<h;p++)this.render(c[p],u[p]);else{f.multiDrawArraysWEBGL(n,c,0,u,0,h);let p=0;for(let _=0;_<h;_++)p+=u[_];t.update(p,n,1)}}function l(c,u,h,f){if(h===0)return;const p=e.get("WEBGL_multi_draw");if(p===null)for(let _=0;_<c.length;_++)o(c[_],u[_],f[_]);else{p.multiDrawArraysInstancedWEBGL(n,c,0,u,0,f,0,h);let _=0;for(let x=0;x<h;x++)_+=u[x];for(let x=0;x<f.length;x++)t.update(_,n,f[x])}}this.setMode=s,this.render=r,this.renderInstances=o,this.renderMultiDraw=a,this.renderMultiDrawInstances=l}function Ev(i,e,t,n){let s;function r(){if(s!==void 0)return s;if(e.has("EXT_texture_filter_anisotropic")===!0){const T=e.get("EXT_texture_filter_anisotropic");s=i.getParameter(T.MAX_TEXTURE_MAX_ANISOTROPY_EXT)}else s=0;return s}function o(T){return!(T!==yi&&n.convert(T)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_FORMAT))}function a(T){const C=T===pa&&(e.has("EXT_color_buffer_half_float")||e.has("EXT_color_buffer_float"));return!(T!==ss&&n.convert(T)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_TYPE)&&T!==es&&!C)}function l(T){if(T==="highp"){if(i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.HIGH_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.HIGH_FLOAT).precision>0)return"highp";T="mediump"}return T==="mediump"&&i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.MEDIUM_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.MEDIUM_FLOAT).precision>0?"mediump":"lowp"}let c=t.precision!==void 0?t.precision:"highp";const u=l(c);u!==c&&(console.warn("THREE.WebGLRenderer:",c,"not supported, using",u,"instead."),c=u);const h=t.logarithmicDepthBuffer===!0,f=i.getParameter(i.MAX_TEXTURE_IMAGE_UNITS),p=i.getParameter(i.MAX_VERTEX_TEXTURE_IMAGE_UNITS),_=i.getParameter(i.MAX_TEXTURE_SIZE),x=i.getParameter(i.MAX_CUBE_MAP_TEXTURE_SIZE),m=i.getParameter(i.MAX_VERTEX_ATTRIBS),d=i.getParameter(i.MAX_VERTEX_UNIFORM_VECTORS),y=i.getParameter(i.MAX_VARYING_VECTORS),M=i.getParameter(i.MAX_FRAGMENT_UNIFORM_VECTORS),w=p>0,V=i.getParameter(i.MAX_SAMPLES);return{isWebGL2:!0,getMaxAnisotropy:r,getMaxPrecision:l,textureFormatReadable:o,textureTypeReadable:a,precision:c,logarithmicDepthBuffer:h,maxTextures:f,maxVertexTextures:p,maxTextureSize:_,maxCubemapSize:x,maxAttributes:m,maxVertexUniforms:d,maxVaryings:y,maxFragmentUniforms:M,vertexTextures:w,maxSamples:V}}function bv(i){const e=this;let t=null,n=0,s=!1,r=!1;const o=new Zi,a=new rt,l={value:null,needsUpdate:!1};this.uniform=l,this.numPlanes=0,this.numIntersection=0,this.init=function(h,f){const p=h.length!==0||f||n!==0||s;return s=f,n=h.length,p},this.beginShadows=function(){r=!0,u(null)},this.endShadows=function(){r=!1},this.setGlobalState=function(h,f){t=u(h,f,0)},this.setState=function(h,f,p){const _=h.clippingPlanes,x=h.clipIntersection,m=h.clipShadows,d=i.get(h);if(!s||_===null||_.length===0||r&&!m)r?u(null):c();else{const y=r?0:n,M=y*4;let w=d.clippingState||null;l.value=w,w=u(_,f,M,p);for(let V=0;V!==M;++V)w[V]=t[V];d.clippingState=w,this.numIntersection=x?this.numPlanes:0,this.numPlanes+=y}};function c(){l.value!==t&&(l.value=t,l.needsUpdate=n>0),e.numPlanes=n,e.numIntersection=0}function u(h,f,p,_){const x=h!==null?h.length:0;let m=null;if(x!==0){if(m=l.value,_!==!0||m===null){const d=p+x*4,y=f.matrixWorldInverse;a.getNormalMatrix(y),(m===null||m.length<d)&&(m=new Float32Array(d));for(let M=0,w=p;M!==x;++M,w+=4)o.copy(h[M]).applyMatrix4(y,a),o.normal.toArray(m,w),m[w+3]=o.constant}l.value=m,l.needsUpdate=!0}return e.numPlanes=x,e.numIntersection=0,m}}function wv(i){let e=new WeakMap;function t(o,a){return a===Xl?o.mapping=xr:a===Yl&&(o.mapping=Mr),o}function n(o){if(o&&o.isTexture){const a=o.mapping;if(a===Xl||a===Yl)if(e.has(o)){const l=e.get(o).texture;return t(l,o.mapping)}else{const l=o.image;if(l&&l.height>0){const c=new Og(l.height);return c.fromEquirectangularTexture(i,o),e.set(o,c),o.addEventListener("dispose",s),t(c.texture,o.mapping)}else return null}}return o}function s(o){const a=o.target;a.removeEventListener("dispose",s);const l=e.get(a);l!==void 0&&(e.delete(a),l.dispose())}function r(){e=new WeakMap}return{get:n,dispose:r}}class Tv extends Sd{constructor(e=-1,t=1,n=1,s=-1,r=.1,o=2e3){super(),this.isOrthographicCamera=!0,this.type="OrthographicCamera",this.zoom=1,this.view=null,this.left=e,this.right=t,this.top=n,this.bottom=s,this.near=r,this.far=o,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.left=e.left,this.right=e.right,this.top=e.top,this.bottom=e.bottom,this.near=e.near,this.far=e.far,this.zoom=e.zoom,this.view=e.view===null?null:Object.assign({},e.view),this}setViewOffset(e,t,n,s,r,o){this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){const e=(this.right-this.left)/(2*this.zoom),t=(this.top-this.bottom)/(2*this.zoom),n=(this.right+this.left)/2,s=(this.top+this.bottom)/2;let r=n-e,o=n+e,a=s+t,l=s-t;if(this.view!==null&&this.view.enabled){const c=(this.right-this.left)/this.view.fullWidth/this.zoom,u=(this.top-this.bottom)/this.view.fullHeight/this.zoom;r+=c*this.view.offsetX,o=r+c*this.view.width,a-=u*this.view.offsetY,l=a-u*this.view.height}this.projectionMatrix.makeOrthographic(r,o,a,l,this.near,this.far,this.coordinateSystem),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){const t=super.toJSON(e);return t.object.zoom=this.zoom,t.object.left=this.left,t.object.right=this.right,t.object.top=this.top,t.object.bottom=this.bottom,t.object.near=this.near,t.object.far=this.far,this.view!==null&&(t.object.view=Object.assign({},this.view)),t}}const fr=4,uh=[.125,.215,.35,.446,.526,.582],Ms=20,gl=new Tv,hh=new St;let _l=null,vl=0,xl=0,Ml=!1;const ms=(1+Math.sqrt(5))/2,lr=1/ms,fh=[new Y(-ms,lr,0),new Y(ms,lr,0),new Y(-lr,0,ms),new Y(lr,0,ms),new Y(0,ms,-lr),new Y(0,ms,lr),new Y(-1,1,-1),new Y(1,1,-1),new Y(-1,1,1),new Y(1,1,1)];class dh{constructor(e){this._renderer=e,this._pingPongRenderTarget=null,this._lodMax=0,this._cubeSize=0,this._lodPlanes=[],this._sizeLods=[],this._sigmas=[],this._blurMaterial=null,this._cubemapMaterial=null,this._equirectMaterial=null,this._compileMaterial(this._blurMaterial)}fromScene(e,t=0,n=.1,s=100){_l=this._renderer.getRenderTarget(),vl=this._renderer.getActiveCubeFace(),xl=this._renderer.getActiveMipmapLevel(),Ml=this._renderer.xr.enabled,this._renderer.xr.enabled=!1,this._setSize(256);const r=this._allocateTargets();return r.depthBuffer=!0,this._sceneToCubeUV(e,n,s,r),t>0&&this._blur(r,0,0,t),this._applyPMREM(r),this._cleanup(r),r}fromEquirectangular(e,t=null){return this._fromTexture(e,t)}fromCubemap(e,t=null){return this._fromTexture(e,t)}compileCubemapShader(){this._cubemapMaterial===null&&(this._cubemapMaterial=gh(),this._compileMaterial(this._cubemapMaterial))}compileEquirectangularShader(){this._equirectMaterial===null&&(this._equirectMaterial=mh(),this._compileMaterial(this._equirectMaterial))}dispose(){this._dispose(),this._cubemapMaterial!==null&&this._cubemapMaterial.dispose(),this._equirectMaterial!==null&&this._equirectMaterial.dispose()}_setSize(e){this._lodMax=Math.floor(Math.log2(e)),this._cubeSize=Math.pow(2,this._lodMax)}_dispose(){this._blurMaterial!==null&&this._blurMaterial.dispose(),this._pingPongRenderTarget!==null&&this._pingPongRenderTarget.dispose();for(let e=0;e<this._lodPlanes.length;e++)this._lodPlanes[e].dispose()}_cleanup(e){this._renderer.setRenderTarget(_l,vl,xl),this._renderer.xr.enabled=Ml,e.scissorTest=!1,zo(e,0,0,e.width,e.height)}_fromTexture(e,t){e.mapping===xr||e.mapping===Mr?this._setSize(e.image.length===0?16:e.image[0].width||e.image[0].image.width):this._setSize(e.image.width/4),_l=this._renderer.getRenderTarget(),vl=this._renderer.getActiveCubeFace(),xl=this._renderer.getActiveMipmapLevel(),Ml=this._renderer.xr.enabled,this._renderer.xr.enabled=!1;const n=t||this._allocateTargets();return this._textureToCubeUV(e,n),this._applyPMREM(n),this._cleanup(n),n}_allocateTargets(){const e=3*Math.max(this._cubeSize,112),t=4*this._cubeSize,n={magFilter:ui,minFilter:ui,generateMipmaps:!1,type:pa,format:yi,colorSpace:ki,depthBuffer:!1},s=ph(e,t,n);if(this._pingPongRenderTarget===null||this._pingPongRenderTarget.width!==e||this._pingPongRenderTarget.height!==t){this._pingPongRenderTarget!==null&&this._dispose(),this._pingPongRenderTarget=ph(e,t,n);const{_lodMax:r}=this;({sizeLods:this._sizeLods,lodPlanes:this._lodPlanes,sigmas:this._sigmas}=Av(r)),this._blurMaterial=Rv(r,e,t)}return s}_compileMaterial(e){const t=new Dn(this._lodPlanes[0],e);this._renderer.compile(t,gl)}_sceneToCubeUV(e,t,n,s){const a=new Zn(90,1,t,n),l=[1,-1,1,1,1,1],c=[1,1,1,-1,-1,-1],u=this._renderer,h=u.autoClear,f=u.toneMapping;u.getClearColor(hh),u.toneMapping=ns,u.autoClear=!1;const p=new aa({name:"PMREM.Background",side:Un,depthWrite:!1,depthTest:!1}),_=new Dn(new uo,p);let x=!1;const m=e.background;m?m.isColor&&(p.color.copy(m),e.background=null,x=!0):(p.color.copy(hh),x=!0);for(let d=0;d<6;d++){const y=d%3;y===0?(a.up.set(0,l[d],0),a.lookAt(c[d],0,0)):y===1?(a.up.set(0,0,l[d]),a.lookAt(0,c[d],0)):(a.up.set(0,l[d],0),a.lookAt(0,0,c[d]));const M=this._cubeSize;zo(s,y*M,d>2?M:0,M,M),u.setRenderTarget(s),x&&u.render(_,a),u.render(e,a)}_.geometry.dispose(),_.material.dispose(),u.toneMapping=f,u.autoClear=h,e.background=m}_textureToCubeUV(e,t){const n=this._renderer,s=e.mapping===xr||e.mapping===Mr;s?(this._cubemapMaterial===null&&(this._cubemapMaterial=gh()),this._cubemapMaterial.uniforms.flipEnvMap.value=e.isRenderTargetTexture===!1?-1:1):this._equirectMaterial===null&&(this._equirectMaterial=mh());const r=s?this._cubemapMaterial:this._equirectMaterial,o=new Dn(this._lodPlanes[0],r),a=r.uniforms;a.envMap.value=e;const l=this._cubeSize;zo(t,0,0,3*l,2*l),n.setRenderTarget(t),n.render(o,gl)}_applyPMREM(e){const t=this._renderer,n=t.autoClear;t.autoClear=!1;const s=this._lodPlanes.length;for(let r=1;r<s;r++){const o=Math.sqrt(this._sigmas[r]*this._sigmas[r]-this._sigmas[r-1]*this._sigmas[r-1]),a=fh[(s-r-1)%fh.length];this._blur(e,r-1,r,o,a)}t.autoClear=n}_blur(e,t,n,s,r){const o=this._pingPongRenderTarget;this._halfBlur(e,o,t,n,s,"latitudinal",r),this._halfBlur(o,e,n,n,s,"longitudinal",r)}_halfBlur(e,t,n,s,r,o,a){const l=this._renderer,c=this._blurMaterial;o!=="latitudinal"&&o!=="longitudinal"&&console.error("blur direction must be either latitudinal or longitudinal!");const u=3,h=new Dn(this._lodPlanes[s],c),f=c.uniforms,p=this._sizeLods[n]-1,_=isFinite(r)?Math.PI/(2*p):2*Math.PI/(2*Ms-1),x=r/_,m=isFinite(r)?1+Math.floor(u*x):Ms;m>Ms&&console.warn(`sigmaRadians, ${r}, is too large and will clip, as it requested ${m} samples when the maximum is set to ${Ms}`);const d=[];let y=0;for(let C=0;C<Ms;++C){const U=C/x,E=Math.exp(-U*U/2);d.push(E),C===0?y+=E:C<m&&(y+=2*E)}for(let C=0;C<d.length;C++)d[C]=d[C]/y;f.envMap.value=e.texture,f.samples.value=m,f.weights.value=d,f.latitudinal.value=o==="latitudinal",a&&(f.poleAxis.value=a);const{_lodMax:M}=this;f.dTheta.value=_,f.mipInt.value=M-n;const w=this._sizeLods[s],V=3*w*(s>M-fr?s-M+fr:0),T=4*(this._cubeSize-w);zo(t,V,T,3*w,2*w),l.setRenderTarget(t),l.render(h,gl)}}function Av(i){const e=[],t=[],n=[];let s=i;const r=i-fr+1+uh.length;for(let o=0;o<r;o++){const a=Math.pow(2,s);t.push(a);let l=1/a;o>i-fr?l=uh[o-i+fr-1]:o===0&&(l=0),n.push(l);const c=1/(a-2),u=-c,h=1+c,f=[u,u,h,u,h,h,u,u,h,h,u,h],p=6,_=6,x=3,m=2,d=1,y=new Float32Array(x*_*p),M=new Float32Array(m*_*p),w=new Float32Array(d*_*p);for(let T=0;T<p;T++){const C=T%3*2/3-1,U=T>2?0:-1,E=[C,U,0,C+2/3,U,0,C+2/3,U+1,0,C,U,0,C+2/3,U+1,0,C,U+1,0];y.set(E,x*_*T),M.set(f,m*_*T);const v=[T,T,T,T,T,T];w.set(v,d*_*T)}const V=new di;V.setAttribute("position",new An(y,x)),V.setAttribute("uv",new An(M,m)),V.setAttribute("faceIndex",new An(w,d)),e.push(V),s>fr&&s--}return{lodPlanes:e,sizeLods:t,sigmas:n}}function ph(i,e,t){const n=new As(i,e,t);return n.texture.mapping=da,n.texture.name="PMREM.cubeUv",n.scissorTest=!0,n}function zo(i,e,t,n,s){i.viewport.set(e,t,n,s),i.scissor.set(e,t,n,s)}function Rv(i,e,t){const n=new Float32Array(Ms),s=new Y(0,1,0);return new Ei({name:"SphericalGaussianBlur",defines:{n:Ms,CUBEUV_TEXEL_WIDTH:1/e,CUBEUV_TEXEL_HEIGHT:1/t,CUBEUV_MAX_MIP:`${i}.0`},uniforms:{envMap:{value:null},samples:{value:1},weights:{value:n},latitudinal:{value:!1},dTheta:{value:0},mipInt:{value:0},poleAxis:{value:s}},vertexShader:xc(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			varying vec3 vOutputDirection;

			uniform sampler2D envMap;
			uniform int samples;
			uniform float weights[ n ];
			uniform bool latitudinal;
			uniform float dTheta;
			uniform float mipInt;
			uniform vec3 poleAxis;

			#define ENVMAP_TYPE_CUBE_UV
			#include <cube_uv_reflection_fragment>

			vec3 getSample( float theta, vec3 axis ) {

				float cosTheta = cos( theta );
				// Rodrigues' axis-angle rotation
				vec3 sampleDirection = vOutputDirection * cosTheta
					+ cross( axis, vOutputDirection ) * sin( theta )
					+ axis * dot( axis, vOutputDirection ) * ( 1.0 - cosTheta );

				return bilinearCubeUV( envMap, sampleDirection, mipInt );

			}

			void main() {

				vec3 axis = latitudinal ? poleAxis : cross( poleAxis, vOutputDirection );

				if ( all( equal( axis, vec3( 0.0 ) ) ) ) {

					axis = vec3( vOutputDirection.z, 0.0, - vOutputDirection.x );

				}

				axis = normalize( axis );

				gl_FragColor = vec4( 0.0, 0.0, 0.0, 1.0 );
				gl_FragColor.rgb += weights[ 0 ] * getSample( 0.0, axis );

				for ( int i = 1; i < n; i++ ) {

					if ( i >= samples ) {

						break;

					}

					float theta = dTheta * float( i );
					gl_FragColor.rgb += weights[ i ] * getSample( -1.0 * theta, axis );
					gl_FragColor.rgb += weights[ i ] * getSample( theta, axis );

				}

			}
		`,blending:ts,depthTest:!1,depthWrite:!1})}function mh(){return new Ei({name:"EquirectangularToCubeUV",uniforms:{envMap:{value:null}},vertexShader:xc(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			varying vec3 vOutputDirection;

			uniform sampler2D envMap;

			#include <common>

			void main() {

				vec3 outputDirection = normalize( vOutputDirection );
				vec2 uv = equirectUv( outputDirection );

				gl_FragColor = vec4( texture2D ( envMap, uv ).rgb, 1.0 );

			}
		`,blending:ts,depthTest:!1,depthWrite:!1})}function gh(){return new Ei({name:"CubemapToCubeUV",uniforms:{envMap:{value:null},flipEnvMap:{value:-1}},vertexShader:xc(),fragmentShader:`

			precision mediump float;
			precision mediump int;

			uniform float flipEnvMap;

			varying vec3 vOutputDirection;

			uniform samplerCube envMap;

			void main() {

				gl_FragColor = textureCube( envMap, vec3( flipEnvMap * vOutputDirection.x, vOutputDirection.yz ) );

			}
		`,blending:ts,depthTest:!1,depthWrite:!1})}function xc(){return`

		precision mediump float;
		precision mediump int;

		attribute float faceIndex;

		varying vec3 vOutputDirection;

		// RH coordinate system; PMREM face-indexing convention
		vec3 getDirection( vec2 uv, float face ) {

			uv = 2.0 * uv - 1.0;

			vec3 direction = vec3( uv, 1.0 );

			if ( face == 0.0 ) {

				direction = direction.zyx; // ( 1, v, u ) pos x

			} else if ( face == 1.0 ) {

				direction = direction.xzy;
				direction.xz *= -1.0; // ( -u, 1, -v ) pos y

			} else if ( face == 2.0 ) {

				direction.x *= -1.0; // ( -u, v, 1 ) pos z

			} else if ( face == 3.0 ) {

				direction = direction.zyx;
				direction.xz *= -1.0; // ( -1, v, -u ) neg x

			} else if ( face == 4.0 ) {

				direction = direction.xzy;
				direction.xy *= -1.0; // ( -u, -1, v ) neg y

			} else if ( face == 5.0 ) {

				direction.z *= -1.0; // ( u, v, -1 ) neg z

			}

			return direction;

		}

		void main() {

			vOutputDirection = getDirection( uv, faceIndex );
			gl_Position = vec4( position, 1.0 );

		}
	`}function Cv(i){let e=new WeakMap,t=null;function n(a){if(a&&a.isTexture){const l=a.mapping,c=l===Xl||l===Yl,u=l===xr||l===Mr;if(c||u){let h=e.get(a);const f=h!==void 0?h.texture.pmremVersion:0;if(a.isRenderTargetTexture&&a.pmremVersion!==f)return t===null&&(t=new dh(i)),h=c?t.fromEquirectangular(a,h):t.fromCubemap(a,h),h.texture.pmremVersion=a.pmremVersion,e.set(a,h),h.texture;if(h!==void 0)return h.texture;{const p=a.image;return c&&p&&p.height>0||u&&p&&s(p)?(t===null&&(t=new dh(i)),h=c?t.fromEquirectangular(a):t.fromCubemap(a),h.texture.pmremVersion=a.pmremVersion,e.set(a,h),a.addEventListener("dispose",r),h.texture):null}}}return a}function s(a){let l=0;const c=6;for(let u=0;u<c;u++)a[u]!==void 0&&l++;return l===c}function r(a){const l=a.target;l.removeEventListener("dispose",r);const c=e.get(l);c!==void 0&&(e.delete(l),c.dispose())}function o(){e=new WeakMap,t!==null&&(t.dispose(),t=null)}return{get:n,dispose:o}}function Pv(i){const e={};function t(n){if(e[n]!==void 0)return e[n];let s;switch(n){case"WEBGL_depth_texture":s=i.getExtension("WEBGL_depth_texture")||i.getExtension("MOZ_WEBGL_depth_texture")||i.getExtension("WEBKIT_WEBGL_depth_texture");break;case"EXT_texture_filter_anisotropic":s=i.getExtension("EXT_texture_filter_anisotropic")||i.getExtension("MOZ_EXT_texture_filter_anisotropic")||i.getExtension("WEBKIT_EXT_texture_filter_anisotropic");break;case"WEBGL_compressed_texture_s3tc":s=i.getExtension("WEBGL_compressed_texture_s3tc")||i.getExtension("MOZ_WEBGL_compressed_texture_s3tc")||i.getExtension("WEBKIT_WEBGL_compressed_texture_s3tc");break;case"WEBGL_compressed_texture_pvrtc":s=i.getExtension("WEBGL_compressed_texture_pvrtc")||i.getExtension("WEBKIT_WEBGL_compressed_texture_pvrtc");break;default:s=i.getExtension(n)}return e[n]=s,s}return{has:function(n){return t(n)!==null},init:function(){t("EXT_color_buffer_float"),t("WEBGL_clip_cull_distance"),t("OES_texture_float_linear"),t("EXT_color_buffer_half_float"),t("WEBGL_multisampled_render_to_texture"),t("WEBGL_render_shared_exponent")},get:function(n){const s=t(n);return s===null&&console.warn("THREE.WebGLRenderer: "+n+" extension not supported."),s}}}function Lv(i,e,t,n){const s={},r=new WeakMap;function o(h){const f=h.target;f.index!==null&&e.remove(f.index);for(const _ in f.attributes)e.remove(f.attributes[_]);for(const _ in f.morphAttributes){const x=f.morphAttributes[_];for(let m=0,d=x.length;m<d;m++)e.remove(x[m])}f.removeEventListener("dispose",o),delete s[f.id];const p=r.get(f);p&&(e.remove(p),r.delete(f)),n.releaseStatesOfGeometry(f),f.isInstancedBufferGeometry===!0&&delete f._maxInstanceCount,t.memory.geometries--}function a(h,f){return s[f.id]===!0||(f.addEventListener("dispose",o),s[f.id]=!0,t.memory.geometries++),f}function l(h){const f=h.attributes;for(const _ in f)e.update(f[_],i.ARRAY_BUFFER);const p=h.morphAttributes;for(const _ in p){const x=p[_];for(let m=0,d=x.length;m<d;m++)e.update(x[m],i.ARRAY_BUFFER)}}function c(h){const f=[],p=h.index,_=h.attributes.position;let x=0;if(p!==null){const y=p.array;x=p.version;for(let M=0,w=y.length;M<w;M+=3){const V=y[M+0],T=y[M+1],C=y[M+2];f.push(V,T,T,C,C,V)}}else if(_!==void 0){const y=_.array;x=_.version;for(let M=0,w=y.length/3-1;M<w;M+=3){const V=M+0,T=M+1,C=M+2;f.push(V,T,T,C,C,V)}}else return;const m=new(pd(f)?xd:vd)(f,1);m.version=x;const d=r.get(h);d&&e.remove(d),r.set(h,m)}function u(h){const f=r.get(h);if(f){const p=h.index;p!==null&&f.version<p.version&&c(h)}else c(h);return r.get(h)}return{get:a,update:l,getWireframeAttribute:u}}function Dv(i,e,t){let n;function s(f){n=f}let r,o;function a(f){r=f.type,o=f.bytesPerElement}function l(f,p){i.drawElements(n,p,r,f*o),t.update(p,n,1)}function c(f,p,_){_!==0&&(i.drawElementsInstanced(n,p,r,f*o,_),t.update(p,n,_))}function u(f,p,_){if(_===0)return;const x=e.get("WEBGL_multi_draw");if(x===null)for(let m=0;m<_;m++)this.render(f[m]/o,p[m]);else{x.multiDrawElementsWEBGL(n,p,0,r,f,0,_);let m=0;for(let d=0;d<_;d++)m+=p[d];t.update(m,n,1)}}function h(f,p,_,x){if(_===0)return;const m=e.get("WEBGL_multi_draw");if(m===null)for(let d=0;d<f.length;d++)c(f[d]/o,p[d],x[d]);else{m.multiDrawElementsInstancedWEBGL(n,p,0,r,f,0,x,0,_);let d=0;for(let y=0;y<_;y++)d+=p[y];for(let y=0;y<x.length;y++)t.update(d,n,x[y])}}this.setMode=s,this.setIndex=a,this.render=l,this.renderInstances=c,this.renderMultiDraw=u,this.renderMultiDrawInstances=h}function Uv(i){const e={geometries:0,textures:0},t={frame:0,calls:0,triangles:0,points:0,lines:0};function n(r,o,a){switch(t.calls++,o){case i.TRIANGLES:t.triangles+=a*(r/3);break;case i.LINES:t.lines+=a*(r/2);break;case i.LINE_STRIP:t.lines+=a*(r-1);break;case i.LINE_LOOP:t.lines+=a*r;break;case i.POINTS:t.points+=a*r;break;default:console.error("THREE.WebGLInfo: Unknown draw mode:",o);break}}function s(){t.calls=0,t.triangles=0,t.points=0,t.lines=0}return{memory:e,render:t,programs:null,autoReset:!0,reset:s,update:n}}function Iv(i,e,t){const n=new WeakMap,s=new fn;function r(o,a,l){const c=o.morphTargetInfluences,u=a.morphAttributes.position||a.morphAttributes.normal||a.morphAttributes.color,h=u!==void 0?u.length:0;let f=n.get(a);if(f===void 0||f.count!==h){let v=function(){U.dispose(),n.delete(a),a.removeEventListener("dispose",v)};var p=v;f!==void 0&&f.texture.dispose();const _=a.morphAttributes.position!==void 0,x=a.morphAttributes.normal!==void 0,m=a.morphAttributes.color!==void 0,d=a.morphAttributes.position||[],y=a.morphAttributes.normal||[],M=a.morphAttributes.color||[];let w=0;_===!0&&(w=1),x===!0&&(w=2),m===!0&&(w=3);let V=a.attributes.position.count*w,T=1;V>e.maxTextureSize&&(T=Math.ceil(V/e.maxTextureSize),V=e.maxTextureSize);const C=new Float32Array(V*T*4*h),U=new gd(C,V,T,h);U.type=es,U.needsUpdate=!0;const E=w*4;for(let D=0;D<h;D++){const H=d[D],L=y[D],j=M[D],q=V*T*4*D;for(let te=0;te<H.count;te++){const ie=te*E;_===!0&&(s.fromBufferAttribute(H,te),C[q+ie+0]=s.x,C[q+ie+1]=s.y,C[q+ie+2]=s.z,C[q+ie+3]=0),x===!0&&(s.fromBufferAttribute(L,te),C[q+ie+4]=s.x,C[q+ie+5]=s.y,C[q+ie+6]=s.z,C[q+ie+7]=0),m===!0&&(s.fromBufferAttribute(j,te),C[q+ie+8]=s.x,C[q+ie+9]=s.y,C[q+ie+10]=s.z,C[q+ie+11]=j.itemSize===4?s.w:1)}}f={count:h,texture:U,size:new ze(V,T)},n.set(a,f),a.addEventListener("dispose",v)}if(o.isInstancedMesh===!0&&o.morphTexture!==null)l.getUniforms().setValue(i,"morphTexture",o.morphTexture,t);else{let _=0;for(let m=0;m<c.length;m++)_+=c[m];const x=a.morphTargetsRelative?1:1-_;l.getUniforms().setValue(i,"morphTargetBaseInfluence",x),l.getUniforms().setValue(i,"morphTargetInfluences",c)}l.getUniforms().setValue(i,"morphTargetsTexture",f.texture,t),l.getUniforms().setValue(i,"morphTargetsTextureSize",f.size)}return{update:r}}function Nv(i,e,t,n){let s=new WeakMap;function r(l){const c=n.render.frame,u=l.geometry,h=e.get(l,u);if(s.get(h)!==c&&(e.update(h),s.set(h,c)),l.isInstancedMesh&&(l.hasEventListener("dispose",a)===!1&&l.addEventListener("dispose",a),s.get(l)!==c&&(t.update(l.instanceMatrix,i.ARRAY_BUFFER),l.instanceColor!==null&&t.update(l.instanceColor,i.ARRAY_BUFFER),s.set(l,c))),l.isSkinnedMesh){const f=l.skeleton;s.get(f)!==c&&(f.update(),s.set(f,c))}return h}function o(){s=new WeakMap}function a(l){const c=l.target;c.removeEventListener("dispose",a),t.remove(c.instanceMatrix),c.instanceColor!==null&&t.remove(c.instanceColor)}return{update:r,dispose:o}}class wd extends Tn{constructor(e,t,n,s,r,o,a,l,c,u){if(u=u!==void 0?u:mr,u!==mr&&u!==to)throw new Error("DepthTexture format must be either THREE.DepthFormat or THREE.DepthStencilFormat");n===void 0&&u===mr&&(n=Sr),n===void 0&&u===to&&(n=ao),super(null,s,r,o,a,l,u,n,c),this.isDepthTexture=!0,this.image={width:e,height:t},this.magFilter=a!==void 0?a:Ln,this.minFilter=l!==void 0?l:Ln,this.flipY=!1,this.generateMipmaps=!1,this.compareFunction=null}copy(e){return super.copy(e),this.compareFunction=e.compareFunction,this}toJSON(e){const t=super.toJSON(e);return this.compareFunction!==null&&(t.compareFunction=this.compareFunction),t}}const Td=new Tn,Ad=new wd(1,1);Ad.compareFunction=dd;const Rd=new gd,Cd=new Mg,Pd=new yd,_h=[],vh=[],xh=new Float32Array(16),Mh=new Float32Array(9),Sh=new Float32Array(4);function Ar(i,e,t){const n=i[0];if(n<=0||n>0)return i;const s=e*t;let r=_h[s];if(r===void 0&&(r=new Float32Array(s),_h[s]=r),e!==0){n.toArray(r,0);for(let o=1,a=0;o!==e;++o)a+=t,i[o].toArray(r,a)}return r}function Jt(i,e){if(i.length!==e.length)return!1;for(let t=0,n=i.length;t<n;t++)if(i[t]!==e[t])return!1;return!0}function Qt(i,e){for(let t=0,n=e.length;t<n;t++)i[t]=e[t]}function va(i,e){let t=vh[e];t===void 0&&(t=new Int32Array(e),vh[e]=t);for(let n=0;n!==e;++n)t[n]=i.allocateTextureUnit();return t}function Ov(i,e){const t=this.cache;t[0]!==e&&(i.uniform1f(this.addr,e),t[0]=e)}function Fv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2f(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(Jt(t,e))return;i.uniform2fv(this.addr,e),Qt(t,e)}}function kv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3f(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else if(e.r!==void 0)(t[0]!==e.r||t[1]!==e.g||t[2]!==e.b)&&(i.uniform3f(this.addr,e.r,e.g,e.b),t[0]=e.r,t[1]=e.g,t[2]=e.b);else{if(Jt(t,e))return;i.uniform3fv(this.addr,e),Qt(t,e)}}function Bv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4f(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(Jt(t,e))return;i.uniform4fv(this.addr,e),Qt(t,e)}}function zv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(Jt(t,e))return;i.uniformMatrix2fv(this.addr,!1,e),Qt(t,e)}else{if(Jt(t,n))return;Sh.set(n),i.uniformMatrix2fv(this.addr,!1,Sh),Qt(t,n)}}function Hv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(Jt(t,e))return;i.uniformMatrix3fv(this.addr,!1,e),Qt(t,e)}else{if(Jt(t,n))return;Mh.set(n),i.uniformMatrix3fv(this.addr,!1,Mh),Qt(t,n)}}function Vv(i,e){const t=this.cache,n=e.elements;if(n===void 0){if(Jt(t,e))return;i.uniformMatrix4fv(this.addr,!1,e),Qt(t,e)}else{if(Jt(t,n))return;xh.set(n),i.uniformMatrix4fv(this.addr,!1,xh),Qt(t,n)}}function Gv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1i(this.addr,e),t[0]=e)}function Wv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2i(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(Jt(t,e))return;i.uniform2iv(this.addr,e),Qt(t,e)}}function $v(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3i(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(Jt(t,e))return;i.uniform3iv(this.addr,e),Qt(t,e)}}function Xv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4i(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(Jt(t,e))return;i.uniform4iv(this.addr,e),Qt(t,e)}}function Yv(i,e){const t=this.cache;t[0]!==e&&(i.uniform1ui(this.addr,e),t[0]=e)}function qv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2ui(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(Jt(t,e))return;i.uniform2uiv(this.addr,e),Qt(t,e)}}function jv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3ui(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(Jt(t,e))return;i.uniform3uiv(this.addr,e),Qt(t,e)}}function Kv(i,e){const t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4ui(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(Jt(t,e))return;i.uniform4uiv(this.addr,e),Qt(t,e)}}function Zv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);const r=this.type===i.SAMPLER_2D_SHADOW?Ad:Td;t.setTexture2D(e||r,s)}function Jv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture3D(e||Cd,s)}function Qv(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTextureCube(e||Pd,s)}function ex(i,e,t){const n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture2DArray(e||Rd,s)}function tx(i){switch(i){case 5126:return Ov;case 35664:return Fv;case 35665:return kv;case 35666:return Bv;case 35674:return zv;case 35675:return Hv;case 35676:return Vv;case 5124:case 35670:return Gv;case 35667:case 35671:return Wv;case 35668:case 35672:return $v;case 35669:case 35673:return Xv;case 5125:return Yv;case 36294:return qv;case 36295:return jv;case 36296:return Kv;case 35678:case 36198:case 36298:case 36306:case 35682:return Zv;case 35679:case 36299:case 36307:return Jv;case 35680:case 36300:case 36308:case 36293:return Qv;case 36289:case 36303:case 36311:case 36292:return ex}}function nx(i,e){i.uniform1fv(this.addr,e)}function ix(i,e){const t=Ar(e,this.size,2);i.uniform2fv(this.addr,t)}function sx(i,e){const t=Ar(e,this.size,3);i.uniform3fv(this.addr,t)}function rx(i,e){const t=Ar(e,this.size,4);i.uniform4fv(this.addr,t)}function ox(i,e){const t=Ar(e,this.size,4);i.uniformMatrix2fv(this.addr,!1,t)}function ax(i,e){const t=Ar(e,this.size,9);i.uniformMatrix3fv(this.addr,!1,t)}function lx(i,e){const t=Ar(e,this.size,16);i.uniformMatrix4fv(this.addr,!1,t)}function cx(i,e){i.uniform1iv(this.addr,e)}function ux(i,e){i.uniform2iv(this.addr,e)}function hx(i,e){i.uniform3iv(this.addr,e)}function fx(i,e){i.uniform4iv(this.addr,e)}function dx(i,e){i.uniform1uiv(this.addr,e)}function px(i,e){i.uniform2uiv(this.addr,e)}function mx(i,e){i.uniform3uiv(this.addr,e)}function gx(i,e){i.uniform4uiv(this.addr,e)}function _x(i,e,t){const n=this.cache,s=e.length,r=va(t,s);Jt(n,r)||(i.uniform1iv(this.addr,r),Qt(n,r));for(let o=0;o!==s;++o)t.setTexture2D(e[o]||Td,r[o])}function vx(i,e,t){const n=this.cache,s=e.length,r=va(t,s);Jt(n,r)||(i.uniform1iv(this.addr,r),Qt(n,r));for(let o=0;o!==s;++o)t.setTexture3D(e[o]||Cd,r[o])}function xx(i,e,t){const n=this.cache,s=e.length,r=va(t,s);Jt(n,r)||(i.uniform1iv(this.addr,r),Qt(n,r));for(let o=0;o!==s;++o)t.setTextureCube(e[o]||Pd,r[o])}function Mx(i,e,t){const n=this.cache,s=e.length,r=va(t,s);Jt(n,r)||(i.uniform1iv(this.addr,r),Qt(n,r));for(let o=0;o!==s;++o)t.setTexture2DArray(e[o]||Rd,r[o])}function Sx(i){switch(i){case 5126:return nx;case 35664:return ix;case 35665:return sx;case 35666:return rx;case 35674:return ox;case 35675:return ax;case 35676:return lx;case 5124:case 35670:return cx;case 35667:case 35671:return ux;case 35668:case 35672:return hx;case 35669:case 35673:return fx;case 5125:return dx;case 36294:return px;case 36295:return mx;case 36296:return gx;case 35678:case 36198:case 36298:case 36306:case 35682:return _x;case 35679:case 36299:case 36307:return vx;case 35680:case 36300:case 36308:case 36293:return xx;case 36289:case 36303:case 36311:case 36292:return Mx}}class yx{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.setValue=tx(t.type)}}class Ex{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.size=t.size,this.setValue=Sx(t.type)}}class bx{constructor(e){this.id=e,this.seq=[],this.map={}}setValue(e,t,n){const s=this.seq;for(let r=0,o=s.length;r!==o;++r){const a=s[r];a.setValue(e,t[a.id],n)}}}const Sl=/(\w+)(\])?(\[|\.)?/g;function yh(i,e){i.seq.push(e),i.map[e.id]=e}function wx(i,e,t){const n=i.name,s=n.length;for(Sl.lastIndex=0;;){const r=Sl.exec(n),o=Sl.lastIndex;let a=r[1];const l=r[2]==="]",c=r[3];if(l&&(a=a|0),c===void 0||c==="["&&o+2===s){yh(t,c===void 0?new yx(a,i,e):new Ex(a,i,e));break}else{let h=t.map[a];h===void 0&&(h=new bx(a),yh(t,h)),t=h}}}class Ko{constructor(e,t){this.seq=[],this.map={};const n=e.getProgramParameter(t,e.ACTIVE_UNIFORMS);for(let s=0;s<n;++s){const r=e.getActiveUniform(t,s),o=e.getUniformLocation(t,r.name);wx(r,o,this)}}setValue(e,t,n,s){const r=this.map[t];r!==void 0&&r.setValue(e,n,s)}setOptional(e,t,n){const s=t[n];s!==void 0&&this.setValue(e,n,s)}static upload(e,t,n,s){for(let r=0,o=t.length;r!==o;++r){const a=t[r],l=n[a.id];l.needsUpdate!==!1&&a.setValue(e,l.value,s)}}static seqWithValue(e,t){const n=[];for(let s=0,r=e.length;s!==r;++s){const o=e[s];o.id in t&&n.push(o)}return n}}function Eh(i,e,t){const n=i.createShader(e);return i.shaderSource(n,t),i.compileShader(n),n}const Tx=37297;let Ax=0;function Rx(i,e){const t=i.split(`
`),n=[],s=Math.max(e-6,0),r=Math.min(e+6,t.length);for(let o=s;o<r;o++){const a=o+1;n.push(`${a===e?">":" "} ${a}: ${t[o]}`)}return n.join(`
`)}function Cx(i){const e=vt.getPrimaries(vt.workingColorSpace),t=vt.getPrimaries(i);let n;switch(e===t?n="":e===sa&&t===ia?n="LinearDisplayP3ToLinearSRGB":e===ia&&t===sa&&(n="LinearSRGBToLinearDisplayP3"),i){case ki:case ma:return[n,"LinearTransferOETF"];case xi:case mc:return[n,"sRGBTransferOETF"];default:return console.warn("THREE.WebGLProgram: Unsupported color space:",i),[n,"LinearTransferOETF"]}}function bh(i,e,t){const n=i.getShaderParameter(e,i.COMPILE_STATUS),s=i.getShaderInfoLog(e).trim();if(n&&s==="")return"";const r=/ERROR: 0:(\d+)/.exec(s);if(r){const o=parseInt(r[1]);return t.toUpperCase()+`

`+s+`

`+Rx(i.getShaderSource(e),o)}else return s}function Px(i,e){const t=Cx(e);return`vec4 ${i}( vec4 value ) { return ${t[0]}( ${t[1]}( value ) ); }`}function Lx(i,e){let t;switch(e){case Nm:t="Linear";break;case Om:t="Reinhard";break;case Fm:t="OptimizedCineon";break;case km:t="ACESFilmic";break;case zm:t="AgX";break;case Hm:t="Neutral";break;case Bm:t="Custom";break;default:console.warn("THREE.WebGLProgram: Unsupported toneMapping:",e),t="Linear"}return"vec3 "+i+"( vec3 color ) { return "+t+"ToneMapping( color ); }"}function Dx(i){return[i.extensionClipCullDistance?"#extension GL_ANGLE_clip_cull_distance : require":"",i.extensionMultiDraw?"#extension GL_ANGLE_multi_draw : require":""].filter(Xr).join(`
`)}function Ux(i){const e=[];for(const t in i){const n=i[t];n!==!1&&e.push("#define "+t+" "+n)}return e.join(`
`)}function Ix(i,e){const t={},n=i.getProgramParameter(e,i.ACTIVE_ATTRIBUTES);for(let s=0;s<n;s++){const r=i.getActiveAttrib(e,s),o=r.name;let a=1;r.type===i.FLOAT_MAT2&&(a=2),r.type===i.FLOAT_MAT3&&(a=3),r.type===i.FLOAT_MAT4&&(a=4),t[o]={type:r.type,location:i.getAttribLocation(e,o),locationSize:a}}return t}function Xr(i){return i!==""}function wh(i,e){const t=e.numSpotLightShadows+e.numSpotLightMaps-e.numSpotLightShadowsWithMaps;return i.replace(/NUM_DIR_LIGHTS/g,e.numDirLights).replace(/NUM_SPOT_LIGHTS/g,e.numSpotLights).replace(/NUM_SPOT_LIGHT_MAPS/g,e.numSpotLightMaps).replace(/NUM_SPOT_LIGHT_COORDS/g,t).replace(/NUM_RECT_AREA_LIGHTS/g,e.numRectAreaLights).replace(/NUM_POINT_LIGHTS/g,e.numPointLights).replace(/NUM_HEMI_LIGHTS/g,e.numHemiLights).replace(/NUM_DIR_LIGHT_SHADOWS/g,e.numDirLightShadows).replace(/NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS/g,e.numSpotLightShadowsWithMaps).replace(/NUM_SPOT_LIGHT_SHADOWS/g,e.numSpotLightShadows).replace(/NUM_POINT_LIGHT_SHADOWS/g,e.numPointLightShadows)}function Th(i,e){return i.replace(/NUM_CLIPPING_PLANES/g,e.numClippingPlanes).replace(/UNION_CLIPPING_PLANES/g,e.numClippingPlanes-e.numClipIntersection)}const Nx=/^[ \t]*#include +<([\w\d./]+)>/gm;function Zl(i){return i.replace(Nx,Fx)}const Ox=new Map;function Fx(i,e){let t=st[e];if(t===void 0){const n=Ox.get(e);if(n!==void 0)t=st[n],console.warn('THREE.WebGLRenderer: Shader chunk "%s" has been deprecated. Use "%s" instead.',e,n);else throw new Error("Can not resolve #include <"+e+">")}return Zl(t)}const kx=/#pragma unroll_loop_start\s+for\s*\(\s*int\s+i\s*=\s*(\d+)\s*;\s*i\s*<\s*(\d+)\s*;\s*i\s*\+\+\s*\)\s*{([\s\S]+?)}\s+#pragma unroll_loop_end/g;function Ah(i){return i.replace(kx,Bx)}function Bx(i,e,t,n){let s="";for(let r=parseInt(e);r<parseInt(t);r++)s+=n.replace(/\[\s*i\s*\]/g,"[ "+r+" ]").replace(/UNROLLED_LOOP_INDEX/g,r);return s}function Rh(i){let e=`precision ${i.precision} float;
	precision ${i.precision} int;
	precision ${i.precision} sampler2D;
	precision ${i.precision} samplerCube;
	precision ${i.precision} sampler3D;
	precision ${i.precision} sampler2DArray;
	precision ${i.precision} sampler2DShadow;
	precision ${i.precision} samplerCubeShadow;
	precision ${i.precision} sampler2DArrayShadow;
	precision ${i.precision} isampler2D;
	precision ${i.precision} isampler3D;
	precision ${i.precision} isamplerCube;
	precision ${i.precision} isampler2DArray;
	precision ${i.precision} usampler2D;
	precision ${i.precision} usampler3D;
	precision ${i.precision} usamplerCube;
	precision ${i.precision} usampler2DArray;
	`;return i.precision==="highp"?e+=`
#define HIGH_PRECISION`:i.precision==="mediump"?e+=`
#define MEDIUM_PRECISION`:i.precision==="lowp"&&(e+=`
#define LOW_PRECISION`),e}function zx(i){let e="SHADOWMAP_TYPE_BASIC";return i.shadowMapType===id?e="SHADOWMAP_TYPE_PCF":i.shadowMapType===am?e="SHADOWMAP_TYPE_PCF_SOFT":i.shadowMapType===Di&&(e="SHADOWMAP_TYPE_VSM"),e}function Hx(i){let e="ENVMAP_TYPE_CUBE";if(i.envMap)switch(i.envMapMode){case xr:case Mr:e="ENVMAP_TYPE_CUBE";break;case da:e="ENVMAP_TYPE_CUBE_UV";break}return e}function Vx(i){let e="ENVMAP_MODE_REFLECTION";if(i.envMap)switch(i.envMapMode){case Mr:e="ENVMAP_MODE_REFRACTION";break}return e}function Gx(i){let e="ENVMAP_BLENDING_NONE";if(i.envMap)switch(i.combine){case sd:e="ENVMAP_BLENDING_MULTIPLY";break;case Um:e="ENVMAP_BLENDING_MIX";break;case Im:e="ENVMAP_BLENDING_ADD";break}return e}function Wx(i){const e=i.envMapCubeUVHeight;if(e===null)return null;const t=Math.log2(e)-2,n=1/e;return{texelWidth:1/(3*Math.max(Math.pow(2,t),7*16)),texelHeight:n,maxMip:t}}function $x(i,e,t,n){const s=i.getContext(),r=t.defines;let o=t.vertexShader,a=t.fragmentShader;const l=zx(t),c=Hx(t),u=Vx(t),h=Gx(t),f=Wx(t),p=Dx(t),_=Ux(r),x=s.createProgram();let m,d,y=t.glslVersion?"#version "+t.glslVersion+`
`:"";t.isRawShaderMaterial?(m=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_].filter(Xr).join(`
`),m.length>0&&(m+=`
`),d=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_].filter(Xr).join(`
`),d.length>0&&(d+=`
`)):(m=[Rh(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_,t.extensionClipCullDistance?"#define USE_CLIP_DISTANCE":"",t.batching?"#define USE_BATCHING":"",t.instancing?"#define USE_INSTANCING":"",t.instancingColor?"#define USE_INSTANCING_COLOR":"",t.instancingMorph?"#define USE_INSTANCING_MORPH":"",t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.map?"#define USE_MAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+u:"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.displacementMap?"#define USE_DISPLACEMENTMAP":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.mapUv?"#define MAP_UV "+t.mapUv:"",t.alphaMapUv?"#define ALPHAMAP_UV "+t.alphaMapUv:"",t.lightMapUv?"#define LIGHTMAP_UV "+t.lightMapUv:"",t.aoMapUv?"#define AOMAP_UV "+t.aoMapUv:"",t.emissiveMapUv?"#define EMISSIVEMAP_UV "+t.emissiveMapUv:"",t.bumpMapUv?"#define BUMPMAP_UV "+t.bumpMapUv:"",t.normalMapUv?"#define NORMALMAP_UV "+t.normalMapUv:"",t.displacementMapUv?"#define DISPLACEMENTMAP_UV "+t.displacementMapUv:"",t.metalnessMapUv?"#define METALNESSMAP_UV "+t.metalnessMapUv:"",t.roughnessMapUv?"#define ROUGHNESSMAP_UV "+t.roughnessMapUv:"",t.anisotropyMapUv?"#define ANISOTROPYMAP_UV "+t.anisotropyMapUv:"",t.clearcoatMapUv?"#define CLEARCOATMAP_UV "+t.clearcoatMapUv:"",t.clearcoatNormalMapUv?"#define CLEARCOAT_NORMALMAP_UV "+t.clearcoatNormalMapUv:"",t.clearcoatRoughnessMapUv?"#define CLEARCOAT_ROUGHNESSMAP_UV "+t.clearcoatRoughnessMapUv:"",t.iridescenceMapUv?"#define IRIDESCENCEMAP_UV "+t.iridescenceMapUv:"",t.iridescenceThicknessMapUv?"#define IRIDESCENCE_THICKNESSMAP_UV "+t.iridescenceThicknessMapUv:"",t.sheenColorMapUv?"#define SHEEN_COLORMAP_UV "+t.sheenColorMapUv:"",t.sheenRoughnessMapUv?"#define SHEEN_ROUGHNESSMAP_UV "+t.sheenRoughnessMapUv:"",t.specularMapUv?"#define SPECULARMAP_UV "+t.specularMapUv:"",t.specularColorMapUv?"#define SPECULAR_COLORMAP_UV "+t.specularColorMapUv:"",t.specularIntensityMapUv?"#define SPECULAR_INTENSITYMAP_UV "+t.specularIntensityMapUv:"",t.transmissionMapUv?"#define TRANSMISSIONMAP_UV "+t.transmissionMapUv:"",t.thicknessMapUv?"#define THICKNESSMAP_UV "+t.thicknessMapUv:"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.flatShading?"#define FLAT_SHADED":"",t.skinning?"#define USE_SKINNING":"",t.morphTargets?"#define USE_MORPHTARGETS":"",t.morphNormals&&t.flatShading===!1?"#define USE_MORPHNORMALS":"",t.morphColors?"#define USE_MORPHCOLORS":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE_STRIDE "+t.morphTextureStride:"",t.morphTargetsCount>0?"#define MORPHTARGETS_COUNT "+t.morphTargetsCount:"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.sizeAttenuation?"#define USE_SIZEATTENUATION":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.useLegacyLights?"#define LEGACY_LIGHTS":"",t.logarithmicDepthBuffer?"#define USE_LOGDEPTHBUF":"","uniform mat4 modelMatrix;","uniform mat4 modelViewMatrix;","uniform mat4 projectionMatrix;","uniform mat4 viewMatrix;","uniform mat3 normalMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;","#ifdef USE_INSTANCING","	attribute mat4 instanceMatrix;","#endif","#ifdef USE_INSTANCING_COLOR","	attribute vec3 instanceColor;","#endif","#ifdef USE_INSTANCING_MORPH","	uniform sampler2D morphTexture;","#endif","attribute vec3 position;","attribute vec3 normal;","attribute vec2 uv;","#ifdef USE_UV1","	attribute vec2 uv1;","#endif","#ifdef USE_UV2","	attribute vec2 uv2;","#endif","#ifdef USE_UV3","	attribute vec2 uv3;","#endif","#ifdef USE_TANGENT","	attribute vec4 tangent;","#endif","#if defined( USE_COLOR_ALPHA )","	attribute vec4 color;","#elif defined( USE_COLOR )","	attribute vec3 color;","#endif","#if ( defined( USE_MORPHTARGETS ) && ! defined( MORPHTARGETS_TEXTURE ) )","	attribute vec3 morphTarget0;","	attribute vec3 morphTarget1;","	attribute vec3 morphTarget2;","	attribute vec3 morphTarget3;","	#ifdef USE_MORPHNORMALS","		attribute vec3 morphNormal0;","		attribute vec3 morphNormal1;","		attribute vec3 morphNormal2;","		attribute vec3 morphNormal3;","	#else","		attribute vec3 morphTarget4;","		attribute vec3 morphTarget5;","		attribute vec3 morphTarget6;","		attribute vec3 morphTarget7;","	#endif","#endif","#ifdef USE_SKINNING","	attribute vec4 skinIndex;","	attribute vec4 skinWeight;","#endif",`
`].filter(Xr).join(`
`),d=[Rh(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,_,t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.alphaToCoverage?"#define ALPHA_TO_COVERAGE":"",t.map?"#define USE_MAP":"",t.matcap?"#define USE_MATCAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+c:"",t.envMap?"#define "+u:"",t.envMap?"#define "+h:"",f?"#define CUBEUV_TEXEL_WIDTH "+f.texelWidth:"",f?"#define CUBEUV_TEXEL_HEIGHT "+f.texelHeight:"",f?"#define CUBEUV_MAX_MIP "+f.maxMip+".0":"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoat?"#define USE_CLEARCOAT":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.dispersion?"#define USE_DISPERSION":"",t.iridescence?"#define USE_IRIDESCENCE":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaTest?"#define USE_ALPHATEST":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.sheen?"#define USE_SHEEN":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors||t.instancingColor?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.gradientMap?"#define USE_GRADIENTMAP":"",t.flatShading?"#define FLAT_SHADED":"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.premultipliedAlpha?"#define PREMULTIPLIED_ALPHA":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.useLegacyLights?"#define LEGACY_LIGHTS":"",t.decodeVideoTexture?"#define DECODE_VIDEO_TEXTURE":"",t.logarithmicDepthBuffer?"#define USE_LOGDEPTHBUF":"","uniform mat4 viewMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;",t.toneMapping!==ns?"#define TONE_MAPPING":"",t.toneMapping!==ns?st.tonemapping_pars_fragment:"",t.toneMapping!==ns?Lx("toneMapping",t.toneMapping):"",t.dithering?"#define DITHERING":"",t.opaque?"#define OPAQUE":"",st.colorspace_pars_fragment,Px("linearToOutputTexel",t.outputColorSpace),t.useDepthPacking?"#define DEPTH_PACKING "+t.depthPacking:"",`
`].filter(Xr).join(`
`)),o=Zl(o),o=wh(o,t),o=Th(o,t),a=Zl(a),a=wh(a,t),a=Th(a,t),o=Ah(o),a=Ah(a),t.isRawShaderMaterial!==!0&&(y=`#version 300 es
`,m=[p,"#define attribute in","#define varying out","#define texture2D texture"].join(`
`)+`
`+m,d=["#define varying in",t.glslVersion===Wu?"":"layout(location = 0) out highp vec4 pc_fragColor;",t.glslVersion===Wu?"":"#define gl_FragColor pc_fragColor","#define gl_FragDepthEXT gl_FragDepth","#define texture2D texture","#define textureCube texture","#define texture2DProj textureProj","#define texture2DLodEXT textureLod","#define texture2DProjLodEXT textureProjLod","#define textureCubeLodEXT textureLod","#define texture2DGradEXT textureGrad","#define texture2DProjGradEXT textureProjGrad","#define textureCubeGradEXT textureGrad"].join(`
`)+`
`+d);const M=y+m+o,w=y+d+a,V=Eh(s,s.VERTEX_SHADER,M),T=Eh(s,s.FRAGMENT_SHADER,w);s.attachShader(x,V),s.attachShader(x,T),t.index0AttributeName!==void 0?s.bindAttribLocation(x,0,t.index0AttributeName):t.morphTargets===!0&&s.bindAttribLocation(x,0,"position"),s.linkProgram(x);function C(D){if(i.debug.checkShaderErrors){const H=s.getProgramInfoLog(x).trim(),L=s.getShaderInfoLog(V).trim(),j=s.getShaderInfoLog(T).trim();let q=!0,te=!0;if(s.getProgramParameter(x,s.LINK_STATUS)===!1)if(q=!1,typeof i.debug.onShaderError=="function")i.debug.onShaderError(s,x,V,T);else{const ie=bh(s,V,"vertex"),ne=bh(s,T,"fragment");console.error("THREE.WebGLProgram: Shader Error "+s.getError()+" - VALIDATE_STATUS "+s.getProgramParameter(x,s.VALIDATE_STATUS)+`

Material Name: `+D.name+`
Material Type: `+D.type+`

Program Info Log: `+H+`
`+ie+`
`+ne)}else H!==""?console.warn("THREE.WebGLProgram: Program Info Log:",H):(L===""||j==="")&&(te=!1);te&&(D.diagnostics={runnable:q,programLog:H,vertexShader:{log:L,prefix:m},fragmentShader:{log:j,prefix:d}})}s.deleteShader(V),s.deleteShader(T),U=new Ko(s,x),E=Ix(s,x)}let U;this.getUniforms=function(){return U===void 0&&C(this),U};let E;this.getAttributes=function(){return E===void 0&&C(this),E};let v=t.rendererExtensionParallelShaderCompile===!1;return this.isReady=function(){return v===!1&&(v=s.getProgramParameter(x,Tx)),v},this.destroy=function(){n.releaseStatesOfProgram(this),s.deleteProgram(x),this.program=void 0},this.type=t.shaderType,this.name=t.shaderName,this.id=Ax++,this.cacheKey=e,this.usedTimes=1,this.program=x,this.vertexShader=V,this.fragmentShader=T,this}let Xx=0;class Yx{constructor(){this.shaderCache=new Map,this.materialCache=new Map}update(e){const t=e.vertexShader,n=e.fragmentShader,s=this._getShaderStage(t),r=this._getShaderStage(n),o=this._getShaderCacheForMaterial(e);return o.has(s)===!1&&(o.add(s),s.usedTimes++),o.has(r)===!1&&(o.add(r),r.usedTimes++),this}remove(e){const t=this.materialCache.get(e);for(const n of t)n.usedTimes--,n.usedTimes===0&&this.shaderCache.delete(n.code);return this.materialCache.delete(e),this}getVertexShaderID(e){return this._getShaderStage(e.vertexShader).id}getFragmentShaderID(e){return this._getShaderStage(e.fragmentShader).id}dispose(){this.shaderCache.clear(),this.materialCache.clear()}_getShaderCacheForMaterial(e){const t=this.materialCache;let n=t.get(e);return n===void 0&&(n=new Set,t.set(e,n)),n}_getShaderStage(e){const t=this.shaderCache;let n=t.get(e);return n===void 0&&(n=new qx(e),t.set(e,n)),n}}class qx{constructor(e){this.id=Xx++,this.code=e,this.usedTimes=0}}function jx(i,e,t,n,s,r,o){const a=new vc,l=new Yx,c=new Set,u=[],h=s.logarithmicDepthBuffer,f=s.vertexTextures;let p=s.precision;const _={MeshDepthMaterial:"depth",MeshDistanceMaterial:"distanceRGBA",MeshNormalMaterial:"normal",MeshBasicMaterial:"basic",MeshLambertMaterial:"lambert",MeshPhongMaterial:"phong",MeshToonMaterial:"toon",MeshStandardMaterial:"physical",MeshPhysicalMaterial:"physical",MeshMatcapMaterial:"matcap",LineBasicMaterial:"basic",LineDashedMaterial:"dashed",PointsMaterial:"points",ShadowMaterial:"shadow",SpriteMaterial:"sprite"};function x(E){return c.add(E),E===0?"uv":`uv${E}`}function m(E,v,D,H,L){const j=H.fog,q=L.geometry,te=E.isMeshStandardMaterial?H.environment:null,ie=(E.isMeshStandardMaterial?t:e).get(E.envMap||te),ne=ie&&ie.mapping===da?ie.image.height:null,fe=_[E.type];E.precision!==null&&(p=s.getMaxPrecision(E.precision),p!==E.precision&&console.warn("THREE.WebGLProgram.getParameters:",E.precision,"not supported, using",p,"instead."));const G=q.morphAttributes.position||q.morphAttributes.normal||q.morphAttributes.color,ce=G!==void 0?G.length:0;let F=0;q.morphAttributes.position!==void 0&&(F=1),q.morphAttributes.normal!==void 0&&(F=2),q.morphAttributes.color!==void 0&&(F=3);let B,N,W,J;if(fe){const lt=Mi[fe];B=lt.vertexShader,N=lt.fragmentShader}else B=E.vertexShader,N=E.fragmentShader,l.update(E),W=l.getVertexShaderID(E),J=l.getFragmentShaderID(E);const Q=i.getRenderTarget(),K=L.isInstancedMesh===!0,X=L.isBatchedMesh===!0,O=!!E.map,pe=!!E.matcap,de=!!ie,Ee=!!E.aoMap,xe=!!E.lightMap,we=!!E.bumpMap,Re=!!E.normalMap,Ge=!!E.displacementMap,ht=!!E.emissiveMap,z=!!E.metalnessMap,R=!!E.roughnessMap,ae=E.anisotropy>0,ge=E.clearcoat>0,Me=E.dispersion>0,he=E.iridescence>0,me=E.sheen>0,Se=E.transmission>0,be=ae&&!!E.anisotropyMap,Ye=ge&&!!E.clearcoatMap,Ae=ge&&!!E.clearcoatNormalMap,ke=ge&&!!E.clearcoatRoughnessMap,et=he&&!!E.iridescenceMap,Be=he&&!!E.iridescenceThicknessMap,Le=me&&!!E.sheenColorMap,Ve=me&&!!E.sheenRoughnessMap,qe=!!E.specularMap,ft=!!E.specularColorMap,Je=!!E.specularIntensityMap,S=Se&&!!E.transmissionMap,Z=Se&&!!E.thicknessMap,re=!!E.gradientMap,ve=!!E.alphaMap,Pe=E.alphaTest>0,tt=!!E.alphaHash,it=!!E.extensions;let bt=ns;E.toneMapped&&(Q===null||Q.isXRRenderTarget===!0)&&(bt=i.toneMapping);const Ht={shaderID:fe,shaderType:E.type,shaderName:E.name,vertexShader:B,fragmentShader:N,defines:E.defines,customVertexShaderID:W,customFragmentShaderID:J,isRawShaderMaterial:E.isRawShaderMaterial===!0,glslVersion:E.glslVersion,precision:p,batching:X,instancing:K,instancingColor:K&&L.instanceColor!==null,instancingMorph:K&&L.morphTexture!==null,supportsVertexTextures:f,outputColorSpace:Q===null?i.outputColorSpace:Q.isXRRenderTarget===!0?Q.texture.colorSpace:ki,alphaToCoverage:!!E.alphaToCoverage,map:O,matcap:pe,envMap:de,envMapMode:de&&ie.mapping,envMapCubeUVHeight:ne,aoMap:Ee,lightMap:xe,bumpMap:we,normalMap:Re,displacementMap:f&&Ge,emissiveMap:ht,normalMapObjectSpace:Re&&E.normalMapType===ng,normalMapTangentSpace:Re&&E.normalMapType===tg,metalnessMap:z,roughnessMap:R,anisotropy:ae,anisotropyMap:be,clearcoat:ge,clearcoatMap:Ye,clearcoatNormalMap:Ae,clearcoatRoughnessMap:ke,dispersion:Me,iridescence:he,iridescenceMap:et,iridescenceThicknessMap:Be,sheen:me,sheenColorMap:Le,sheenRoughnessMap:Ve,specularMap:qe,specularColorMap:ft,specularIntensityMap:Je,transmission:Se,transmissionMap:S,thicknessMap:Z,gradientMap:re,opaque:E.transparent===!1&&E.blending===pr&&E.alphaToCoverage===!1,alphaMap:ve,alphaTest:Pe,alphaHash:tt,combine:E.combine,mapUv:O&&x(E.map.channel),aoMapUv:Ee&&x(E.aoMap.channel),lightMapUv:xe&&x(E.lightMap.channel),bumpMapUv:we&&x(E.bumpMap.channel),normalMapUv:Re&&x(E.normalMap.channel),displacementMapUv:Ge&&x(E.displacementMap.channel),emissiveMapUv:ht&&x(E.emissiveMap.channel),metalnessMapUv:z&&x(E.metalnessMap.channel),roughnessMapUv:R&&x(E.roughnessMap.channel),anisotropyMapUv:be&&x(E.anisotropyMap.channel),clearcoatMapUv:Ye&&x(E.clearcoatMap.channel),clearcoatNormalMapUv:Ae&&x(E.clearcoatNormalMap.channel),clearcoatRoughnessMapUv:ke&&x(E.clearcoatRoughnessMap.channel),iridescenceMapUv:et&&x(E.iridescenceMap.channel),iridescenceThicknessMapUv:Be&&x(E.iridescenceThicknessMap.channel),sheenColorMapUv:Le&&x(E.sheenColorMap.channel),sheenRoughnessMapUv:Ve&&x(E.sheenRoughnessMap.channel),specularMapUv:qe&&x(E.specularMap.channel),specularColorMapUv:ft&&x(E.specularColorMap.channel),specularIntensityMapUv:Je&&x(E.specularIntensityMap.channel),transmissionMapUv:S&&x(E.transmissionMap.channel),thicknessMapUv:Z&&x(E.thicknessMap.channel),alphaMapUv:ve&&x(E.alphaMap.channel),vertexTangents:!!q.attributes.tangent&&(Re||ae),vertexColors:E.vertexColors,vertexAlphas:E.vertexColors===!0&&!!q.attributes.color&&q.attributes.color.itemSize===4,pointsUvs:L.isPoints===!0&&!!q.attributes.uv&&(O||ve),fog:!!j,useFog:E.fog===!0,fogExp2:!!j&&j.isFogExp2,flatShading:E.flatShading===!0,sizeAttenuation:E.sizeAttenuation===!0,logarithmicDepthBuffer:h,skinning:L.isSkinnedMesh===!0,morphTargets:q.morphAttributes.position!==void 0,morphNormals:q.morphAttributes.normal!==void 0,morphColors:q.morphAttributes.color!==void 0,morphTargetsCount:ce,morphTextureStride:F,numDirLights:v.directional.length,numPointLights:v.point.length,numSpotLights:v.spot.length,numSpotLightMaps:v.spotLightMap.length,numRectAreaLights:v.rectArea.length,numHemiLights:v.hemi.length,numDirLightShadows:v.directionalShadowMap.length,numPointLightShadows:v.pointShadowMap.length,numSpotLightShadows:v.spotShadowMap.length,numSpotLightShadowsWithMaps:v.numSpotLightShadowsWithMaps,numLightProbes:v.numLightProbes,numClippingPlanes:o.numPlanes,numClipIntersection:o.numIntersection,dithering:E.dithering,shadowMapEnabled:i.shadowMap.enabled&&D.length>0,shadowMapType:i.shadowMap.type,toneMapping:bt,useLegacyLights:i._useLegacyLights,decodeVideoTexture:O&&E.map.isVideoTexture===!0&&vt.getTransfer(E.map.colorSpace)===Pt,premultipliedAlpha:E.premultipliedAlpha,doubleSided:E.side===ci,flipSided:E.side===Un,useDepthPacking:E.depthPacking>=0,depthPacking:E.depthPacking||0,index0AttributeName:E.index0AttributeName,extensionClipCullDistance:it&&E.extensions.clipCullDistance===!0&&n.has("WEBGL_clip_cull_distance"),extensionMultiDraw:it&&E.extensions.multiDraw===!0&&n.has("WEBGL_multi_draw"),rendererExtensionParallelShaderCompile:n.has("KHR_parallel_shader_compile"),customProgramCacheKey:E.customProgramCacheKey()};return Ht.vertexUv1s=c.has(1),Ht.vertexUv2s=c.has(2),Ht.vertexUv3s=c.has(3),c.clear(),Ht}function d(E){const v=[];if(E.shaderID?v.push(E.shaderID):(v.push(E.customVertexShaderID),v.push(E.customFragmentShaderID)),E.defines!==void 0)for(const D in E.defines)v.push(D),v.push(E.defines[D]);return E.isRawShaderMaterial===!1&&(y(v,E),M(v,E),v.push(i.outputColorSpace)),v.push(E.customProgramCacheKey),v.join()}function y(E,v){E.push(v.precision),E.push(v.outputColorSpace),E.push(v.envMapMode),E.push(v.envMapCubeUVHeight),E.push(v.mapUv),E.push(v.alphaMapUv),E.push(v.lightMapUv),E.push(v.aoMapUv),E.push(v.bumpMapUv),E.push(v.normalMapUv),E.push(v.displacementMapUv),E.push(v.emissiveMapUv),E.push(v.metalnessMapUv),E.push(v.roughnessMapUv),E.push(v.anisotropyMapUv),E.push(v.clearcoatMapUv),E.push(v.clearcoatNormalMapUv),E.push(v.clearcoatRoughnessMapUv),E.push(v.iridescenceMapUv),E.push(v.iridescenceThicknessMapUv),E.push(v.sheenColorMapUv),E.push(v.sheenRoughnessMapUv),E.push(v.specularMapUv),E.push(v.specularColorMapUv),E.push(v.specularIntensityMapUv),E.push(v.transmissionMapUv),E.push(v.thicknessMapUv),E.push(v.combine),E.push(v.fogExp2),E.push(v.sizeAttenuation),E.push(v.morphTargetsCount),E.push(v.morphAttributeCount),E.push(v.numDirLights),E.push(v.numPointLights),E.push(v.numSpotLights),E.push(v.numSpotLightMaps),E.push(v.numHemiLights),E.push(v.numRectAreaLights),E.push(v.numDirLightShadows),E.push(v.numPointLightShadows),E.push(v.numSpotLightShadows),E.push(v.numSpotLightShadowsWithMaps),E.push(v.numLightProbes),E.push(v.shadowMapType),E.push(v.toneMapping),E.push(v.numClippingPlanes),E.push(v.numClipIntersection),E.push(v.depthPacking)}function M(E,v){a.disableAll(),v.supportsVertexTextures&&a.enable(0),v.instancing&&a.enable(1),v.instancingColor&&a.enable(2),v.instancingMorph&&a.enable(3),v.matcap&&a.enable(4),v.envMap&&a.enable(5),v.normalMapObjectSpace&&a.enable(6),v.normalMapTangentSpace&&a.enable(7),v.clearcoat&&a.enable(8),v.iridescence&&a.enable(9),v.alphaTest&&a.enable(10),v.vertexColors&&a.enable(11),v.vertexAlphas&&a.enable(12),v.vertexUv1s&&a.enable(13),v.vertexUv2s&&a.enable(14),v.vertexUv3s&&a.enable(15),v.vertexTangents&&a.enable(16),v.anisotropy&&a.enable(17),v.alphaHash&&a.enable(18),v.batching&&a.enable(19),v.dispersion&&a.enable(20),E.push(a.mask),a.disableAll(),v.fog&&a.enable(0),v.useFog&&a.enable(1),v.flatShading&&a.enable(2),v.logarithmicDepthBuffer&&a.enable(3),v.skinning&&a.enable(4),v.morphTargets&&a.enable(5),v.morphNormals&&a.enable(6),v.morphColors&&a.enable(7),v.premultipliedAlpha&&a.enable(8),v.shadowMapEnabled&&a.enable(9),v.useLegacyLights&&a.enable(10),v.doubleSided&&a.enable(11),v.flipSided&&a.enable(12),v.useDepthPacking&&a.enable(13),v.dithering&&a.enable(14),v.transmission&&a.enable(15),v.sheen&&a.enable(16),v.opaque&&a.enable(17),v.pointsUvs&&a.enable(18),v.decodeVideoTexture&&a.enable(19),v.alphaToCoverage&&a.enable(20),E.push(a.mask)}function w(E){const v=_[E.type];let D;if(v){const H=Mi[v];D=Dg.clone(H.uniforms)}else D=E.uniforms;return D}function V(E,v){let D;for(let H=0,L=u.length;H<L;H++){const j=u[H];if(j.cacheKey===v){D=j,++D.usedTimes;break}}return D===void 0&&(D=new $x(i,v,E,r),u.push(D)),D}function T(E){if(--E.usedTimes===0){const v=u.indexOf(E);u[v]=u[u.length-1],u.pop(),E.destroy()}}function C(E){l.remove(E)}function U(){l.dispose()}return{getParameters:m,getProgramCacheKey:d,getUniforms:w,acquireProgram:V,releaseProgram:T,releaseShaderCache:C,programs:u,dispose:U}}function Kx(){let i=new WeakMap;function e(r){let o=i.get(r);return o===void 0&&(o={},i.set(r,o)),o}function t(r){i.delete(r)}function n(r,o,a){i.get(r)[o]=a}function s(){i=new WeakMap}return{get:e,remove:t,update:n,dispose:s}}function Zx(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.material.id!==e.material.id?i.material.id-e.material.id:i.z!==e.z?i.z-e.z:i.id-e.id}function Ch(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.z!==e.z?e.z-i.z:i.id-e.id}function Ph(){const i=[];let e=0;const t=[],n=[],s=[];function r(){e=0,t.length=0,n.length=0,s.length=0}function o(h,f,p,_,x,m){let d=i[e];return d===void 0?(d={id:h.id,object:h,geometry:f,material:p,groupOrder:_,renderOrder:h.renderOrder,z:x,group:m},i[e]=d):(d.id=h.id,d.object=h,d.geometry=f,d.material=p,d.groupOrder=_,d.renderOrder=h.renderOrder,d.z=x,d.group=m),e++,d}function a(h,f,p,_,x,m){const d=o(h,f,p,_,x,m);p.transmission>0?n.push(d):p.transparent===!0?s.push(d):t.push(d)}function l(h,f,p,_,x,m){const d=o(h,f,p,_,x,m);p.transmission>0?n.unshift(d):p.transparent===!0?s.unshift(d):t.unshift(d)}function c(h,f){t.length>1&&t.sort(h||Zx),n.length>1&&n.sort(f||Ch),s.length>1&&s.sort(f||Ch)}function u(){for(let h=e,f=i.length;h<f;h++){const p=i[h];if(p.id===null)break;p.id=null,p.object=null,p.geometry=null,p.material=null,p.group=null}}return{opaque:t,transmissive:n,transparent:s,init:r,push:a,unshift:l,finish:u,sort:c}}function Jx(){let i=new WeakMap;function e(n,s){const r=i.get(n);let o;return r===void 0?(o=new Ph,i.set(n,[o])):s>=r.length?(o=new Ph,r.push(o)):o=r[s],o}function t(){i=new WeakMap}return{get:e,dispose:t}}function Qx(){const i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"DirectionalLight":t={direction:new Y,color:new St};break;case"SpotLight":t={position:new Y,direction:new Y,color:new St,distance:0,coneCos:0,penumbraCos:0,decay:0};break;case"PointLight":t={position:new Y,color:new St,distance:0,decay:0};break;case"HemisphereLight":t={direction:new Y,skyColor:new St,groundColor:new St};break;case"RectAreaLight":t={color:new St,position:new Y,halfWidth:new Y,halfHeight:new Y};break}return i[e.id]=t,t}}}function eM(){const i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"DirectionalLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"SpotLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze};break;case"PointLight":t={shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new ze,shadowCameraNear:1,shadowCameraFar:1e3};break}return i[e.id]=t,t}}}let tM=0;function nM(i,e){return(e.castShadow?2:0)-(i.castShadow?2:0)+(e.map?1:0)-(i.map?1:0)}function iM(i){const e=new Qx,t=eM(),n={version:0,hash:{directionalLength:-1,pointLength:-1,spotLength:-1,rectAreaLength:-1,hemiLength:-1,numDirectionalShadows:-1,numPointShadows:-1,numSpotShadows:-1,numSpotMaps:-1,numLightProbes:-1},ambient:[0,0,0],probe:[],directional:[],directionalShadow:[],directionalShadowMap:[],directionalShadowMatrix:[],spot:[],spotLightMap:[],spotShadow:[],spotShadowMap:[],spotLightMatrix:[],rectArea:[],rectAreaLTC1:null,rectAreaLTC2:null,point:[],pointShadow:[],pointShadowMap:[],pointShadowMatrix:[],hemi:[],numSpotLightShadowsWithMaps:0,numLightProbes:0};for(let c=0;c<9;c++)n.probe.push(new Y);const s=new Y,r=new zt,o=new zt;function a(c,u){let h=0,f=0,p=0;for(let D=0;D<9;D++)n.probe[D].set(0,0,0);let _=0,x=0,m=0,d=0,y=0,M=0,w=0,V=0,T=0,C=0,U=0;c.sort(nM);const E=u===!0?Math.PI:1;for(let D=0,H=c.length;D<H;D++){const L=c[D],j=L.color,q=L.intensity,te=L.distance,ie=L.shadow&&L.shadow.map?L.shadow.map.texture:null;if(L.isAmbientLight)h+=j.r*q*E,f+=j.g*q*E,p+=j.b*q*E;else if(L.isLightProbe){for(let ne=0;ne<9;ne++)n.probe[ne].addScaledVector(L.sh.coefficients[ne],q);U++}else if(L.isDirectionalLight){const ne=e.get(L);if(ne.color.copy(L.color).multiplyScalar(L.intensity*E),L.castShadow){const fe=L.shadow,G=t.get(L);G.shadowBias=fe.bias,G.shadowNormalBias=fe.normalBias,G.shadowRadius=fe.radius,G.shadowMapSize=fe.mapSize,n.directionalShadow[_]=G,n.directionalShadowMap[_]=ie,n.directionalShadowMatrix[_]=L.shadow.matrix,M++}n.directional[_]=ne,_++}else if(L.isSpotLight){const ne=e.get(L);ne.position.setFromMatrixPosition(L.matrixWorld),ne.color.copy(j).multiplyScalar(q*E),ne.distance=te,ne.coneCos=Math.cos(L.angle),ne.penumbraCos=Math.cos(L.angle*(1-L.penumbra)),ne.decay=L.decay,n.spot[m]=ne;const fe=L.shadow;if(L.map&&(n.spotLightMap[T]=L.map,T++,fe.updateMatrices(L),L.castShadow&&C++),n.spotLightMatrix[m]=fe.matrix,L.castShadow){const G=t.get(L);G.shadowBias=fe.bias,G.shadowNormalBias=fe.normalBias,G.shadowRadius=fe.radius,G.shadowMapSize=fe.mapSize,n.spotShadow[m]=G,n.spotShadowMap[m]=ie,V++}m++}else if(L.isRectAreaLight){const ne=e.get(L);ne.color.copy(j).multiplyScalar(q),ne.halfWidth.set(L.width*.5,0,0),ne.halfHeight.set(0,L.height*.5,0),n.rectArea[d]=ne,d++}else if(L.isPointLight){const ne=e.get(L);if(ne.color.copy(L.color).multiplyScalar(L.intensity*E),ne.distance=L.distance,ne.decay=L.decay,L.castShadow){const fe=L.shadow,G=t.get(L);G.shadowBias=fe.bias,G.shadowNormalBias=fe.normalBias,G.shadowRadius=fe.radius,G.shadowMapSize=fe.mapSize,G.shadowCameraNear=fe.camera.near,G.shadowCameraFar=fe.camera.far,n.pointShadow[x]=G,n.pointShadowMap[x]=ie,n.pointShadowMatrix[x]=L.shadow.matrix,w++}n.point[x]=ne,x++}else if(L.isHemisphereLight){const ne=e.get(L);ne.skyColor.copy(L.color).multiplyScalar(q*E),ne.groundColor.copy(L.groundColor).multiplyScalar(q*E),n.hemi[y]=ne,y++}}d>0&&(i.has("OES_texture_float_linear")===!0?(n.rectAreaLTC1=Ie.LTC_FLOAT_1,n.rectAreaLTC2=Ie.LTC_FLOAT_2):(n.rectAreaLTC1=Ie.LTC_HALF_1,n.rectAreaLTC2=Ie.LTC_HALF_2)),n.ambient[0]=h,n.ambient[1]=f,n.ambient[2]=p;const v=n.hash;(v.directionalLength!==_||v.pointLength!==x||v.spotLength!==m||v.rectAreaLength!==d||v.hemiLength!==y||v.numDirectionalShadows!==M||v.numPointShadows!==w||v.numSpotShadows!==V||v.numSpotMaps!==T||v.numLightProbes!==U)&&(n.directional.length=_,n.spot.length=m,n.rectArea.length=d,n.point.length=x,n.hemi.length=y,n.directionalShadow.length=M,n.directionalShadowMap.length=M,n.pointShadow.length=w,n.pointShadowMap.length=w,n.spotShadow.length=V,n.spotShadowMap.length=V,n.directionalShadowMatrix.length=M,n.pointShadowMatrix.length=w,n.spotLightMatrix.length=V+T-C,n.spotLightMap.length=T,n.numSpotLightShadowsWithMaps=C,n.numLightProbes=U,v.directionalLength=_,v.pointLength=x,v.spotLength=m,v.rectAreaLength=d,v.hemiLength=y,v.numDirectionalShadows=M,v.numPointShadows=w,v.numSpotShadows=V,v.numSpotMaps=T,v.numLightProbes=U,n.version=tM++)}function l(c,u){let h=0,f=0,p=0,_=0,x=0;const m=u.matrixWorldInverse;for(let d=0,y=c.length;d<y;d++){const M=c[d];if(M.isDirectionalLight){const w=n.directional[h];w.direction.setFromMatrixPosition(M.matrixWorld),s.setFromMatrixPosition(M.target.matrixWorld),w.direction.sub(s),w.direction.transformDirection(m),h++}else if(M.isSpotLight){const w=n.spot[p];w.position.setFromMatrixPosition(M.matrixWorld),w.position.applyMatrix4(m),w.direction.setFromMatrixPosition(M.matrixWorld),s.setFromMatrixPosition(M.target.matrixWorld),w.direction.sub(s),w.direction.transformDirection(m),p++}else if(M.isRectAreaLight){const w=n.rectArea[_];w.position.setFromMatrixPosition(M.matrixWorld),w.position.applyMatrix4(m),o.identity(),r.copy(M.matrixWorld),r.premultiply(m),o.extractRotation(r),w.halfWidth.set(M.width*.5,0,0),w.halfHeight.set(0,M.height*.5,0),w.halfWidth.applyMatrix4(o),w.halfHeight.applyMatrix4(o),_++}else if(M.isPointLight){const w=n.point[f];w.position.setFromMatrixPosition(M.matrixWorld),w.position.applyMatrix4(m),f++}else if(M.isHemisphereLight){const w=n.hemi[x];w.direction.setFromMatrixPosition(M.matrixWorld),w.direction.transformDirection(m),x++}}}return{setup:a,setupView:l,state:n}}function Lh(i){const e=new iM(i),t=[],n=[];function s(u){c.camera=u,t.length=0,n.length=0}function r(u){t.push(u)}function o(u){n.push(u)}function a(u){e.setup(t,u)}function l(u){e.setupView(t,u)}const c={lightsArray:t,shadowsArray:n,camera:null,lights:e,transmissionRenderTarget:{}};return{init:s,state:c,setupLights:a,setupLightsView:l,pushLight:r,pushShadow:o}}function sM(i){let e=new WeakMap;function t(s,r=0){const o=e.get(s);let a;return o===void 0?(a=new Lh(i),e.set(s,[a])):r>=o.length?(a=new Lh(i),o.push(a)):a=o[r],a}function n(){e=new WeakMap}return{get:t,dispose:n}}class rM extends ga{constructor(e){super(),this.isMeshDepthMaterial=!0,this.type="MeshDepthMaterial",this.depthPacking=Qm,this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.wireframe=!1,this.wireframeLinewidth=1,this.setValues(e)}copy(e){return super.copy(e),this.depthPacking=e.depthPacking,this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this}}class oM extends ga{constructor(e){super(),this.isMeshDistanceMaterial=!0,this.type="MeshDistanceMaterial",this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.setValues(e)}copy(e){return super.copy(e),this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this}}const aM=`void main() {
	gl_Position = vec4( position, 1.0 );
}`,lM=`uniform sampler2D shadow_pass;
uniform vec2 resolution;
uniform float radius;
#include <packing>
void main() {
	const float samples = float( VSM_SAMPLES );
	float mean = 0.0;
	float squared_mean = 0.0;
	float uvStride = samples <= 1.0 ? 0.0 : 2.0 / ( samples - 1.0 );
	float uvStart = samples <= 1.0 ? 0.0 : - 1.0;
	for ( float i = 0.0; i < samples; i ++ ) {
		float uvOffset = uvStart + i * uvStride;
		#ifdef HORIZONTAL_PASS
			vec2 distribution = unpackRGBATo2Half( texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( uvOffset, 0.0 ) * radius ) / resolution ) );
			mean += distribution.x;
			squared_mean += distribution.y * distribution.y + distribution.x * distribution.x;
		#else
			float depth = unpackRGBAToDepth( texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( 0.0, uvOffset ) * radius ) / resolution ) );
			mean += depth;
			squared_mean += depth * depth;
		#endif
	}
	mean = mean / samples;
	squared_mean = squared_mean / samples;
	float std_dev = sqrt( squared_mean - mean * mean );
	gl_FragColor = pack2HalfToRGBA( vec2( mean, std_dev ) );
}`;function cM(i,e,t){let n=new Ed;const s=new ze,r=new ze,o=new fn,a=new rM({depthPacking:eg}),l=new oM,c={},u=t.maxTextureSize,h={[is]:Un,[Un]:is,[ci]:ci},f=new Ei({defines:{VSM_SAMPLES:8},uniforms:{shadow_pass:{value:null},resolution:{value:new ze},radius:{value:4}},vertexShader:aM,fragmentShader:lM}),p=f.clone();p.defines.HORIZONTAL_PASS=1;const _=new di;_.setAttribute("position",new An(new Float32Array([-1,-1,.5,3,-1,.5,-1,3,.5]),3));const x=new Dn(_,f),m=this;this.enabled=!1,this.autoUpdate=!0,this.needsUpdate=!1,this.type=id;let d=this.type;this.render=function(T,C,U){if(m.enabled===!1||m.autoUpdate===!1&&m.needsUpdate===!1||T.length===0)return;const E=i.getRenderTarget(),v=i.getActiveCubeFace(),D=i.getActiveMipmapLevel(),H=i.state;H.setBlending(ts),H.buffers.color.setClear(1,1,1,1),H.buffers.depth.setTest(!0),H.setScissorTest(!1);const L=d!==Di&&this.type===Di,j=d===Di&&this.type!==Di;for(let q=0,te=T.length;q<te;q++){const ie=T[q],ne=ie.shadow;if(ne===void 0){console.warn("THREE.WebGLShadowMap:",ie,"has no shadow.");continue}if(ne.autoUpdate===!1&&ne.needsUpdate===!1)continue;s.copy(ne.mapSize);const fe=ne.getFrameExtents();if(s.multiply(fe),r.copy(ne.mapSize),(s.x>u||s.y>u)&&(s.x>u&&(r.x=Math.floor(u/fe.x),s.x=r.x*fe.x,ne.mapSize.x=r.x),s.y>u&&(r.y=Math.floor(u/fe.y),s.y=r.y*fe.y,ne.mapSize.y=r.y)),ne.map===null||L===!0||j===!0){const ce=this.type!==Di?{minFilter:Ln,magFilter:Ln}:{};ne.map!==null&&ne.map.dispose(),ne.map=new As(s.x,s.y,ce),ne.map.texture.name=ie.name+".shadowMap",ne.camera.updateProjectionMatrix()}i.setRenderTarget(ne.map),i.clear();const G=ne.getViewportCount();for(let ce=0;ce<G;ce++){const F=ne.getViewport(ce);o.set(r.x*F.x,r.y*F.y,r.x*F.z,r.y*F.w),H.viewport(o),ne.updateMatrices(ie,ce),n=ne.getFrustum(),w(C,U,ne.camera,ie,this.type)}ne.isPointLightShadow!==!0&&this.type===Di&&y(ne,U),ne.needsUpdate=!1}d=this.type,m.needsUpdate=!1,i.setRenderTarget(E,v,D)};function y(T,C){const U=e.update(x);f.defines.VSM_SAMPLES!==T.blurSamples&&(f.defines.VSM_SAMPLES=T.blurSamples,p.defines.VSM_SAMPLES=T.blurSamples,f.needsUpdate=!0,p.needsUpdate=!0),T.mapPass===null&&(T.mapPass=new As(s.x,s.y)),f.uniforms.shadow_pass.value=T.map.texture,f.uniforms.resolution.value=T.mapSize,f.uniforms.radius.value=T.radius,i.setRenderTarget(T.mapPass),i.clear(),i.renderBufferDirect(C,null,U,f,x,null),p.uniforms.shadow_pass.value=T.mapPass.texture,p.uniforms.resolution.value=T.mapSize,p.uniforms.radius.value=T.radius,i.setRenderTarget(T.map),i.clear(),i.renderBufferDirect(C,null,U,p,x,null)}function M(T,C,U,E){let v=null;const D=U.isPointLight===!0?T.customDistanceMaterial:T.customDepthMaterial;if(D!==void 0)v=D;else if(v=U.isPointLight===!0?l:a,i.localClippingEnabled&&C.clipShadows===!0&&Array.isArray(C.clippingPlanes)&&C.clippingPlanes.length!==0||C.displacementMap&&C.displacementScale!==0||C.alphaMap&&C.alphaTest>0||C.map&&C.alphaTest>0){const H=v.uuid,L=C.uuid;let j=c[H];j===void 0&&(j={},c[H]=j);let q=j[L];q===void 0&&(q=v.clone(),j[L]=q,C.addEventListener("dispose",V)),v=q}if(v.visible=C.visible,v.wireframe=C.wireframe,E===Di?v.side=C.shadowSide!==null?C.shadowSide:C.side:v.side=C.shadowSide!==null?C.shadowSide:h[C.side],v.alphaMap=C.alphaMap,v.alphaTest=C.alphaTest,v.map=C.map,v.clipShadows=C.clipShadows,v.clippingPlanes=C.clippingPlanes,v.clipIntersection=C.clipIntersection,v.displacementMap=C.displacementMap,v.displacementScale=C.displacementScale,v.displacementBias=C.displacementBias,v.wireframeLinewidth=C.wireframeLinewidth,v.linewidth=C.linewidth,U.isPointLight===!0&&v.isMeshDistanceMaterial===!0){const H=i.properties.get(v);H.light=U}return v}function w(T,C,U,E,v){if(T.visible===!1)return;if(T.layers.test(C.layers)&&(T.isMesh||T.isLine||T.isPoints)&&(T.castShadow||T.receiveShadow&&v===Di)&&(!T.frustumCulled||n.intersectsObject(T))){T.modelViewMatrix.multiplyMatrices(U.matrixWorldInverse,T.matrixWorld);const L=e.update(T),j=T.material;if(Array.isArray(j)){const q=L.groups;for(let te=0,ie=q.length;te<ie;te++){const ne=q[te],fe=j[ne.materialIndex];if(fe&&fe.visible){const G=M(T,fe,E,v);T.onBeforeShadow(i,T,C,U,L,G,ne),i.renderBufferDirect(U,null,L,G,T,ne),T.onAfterShadow(i,T,C,U,L,G,ne)}}}else if(j.visible){const q=M(T,j,E,v);T.onBeforeShadow(i,T,C,U,L,q,null),i.renderBufferDirect(U,null,L,q,T,null),T.onAfterShadow(i,T,C,U,L,q,null)}}const H=T.children;for(let L=0,j=H.length;L<j;L++)w(H[L],C,U,E,v)}function V(T){T.target.removeEventListener("dispose",V);for(const U in c){const E=c[U],v=T.target.uuid;v in E&&(E[v].dispose(),delete E[v])}}}function uM(i){function e(){let S=!1;const Z=new fn;let re=null;const ve=new fn(0,0,0,0);return{setMask:function(Pe){re!==Pe&&!S&&(i.colorMask(Pe,Pe,Pe,Pe),re=Pe)},setLocked:function(Pe){S=Pe},setClear:function(Pe,tt,it,bt,Ht){Ht===!0&&(Pe*=bt,tt*=bt,it*=bt),Z.set(Pe,tt,it,bt),ve.equals(Z)===!1&&(i.clearColor(Pe,tt,it,bt),ve.copy(Z))},reset:function(){S=!1,re=null,ve.set(-1,0,0,0)}}}function t(){let S=!1,Z=null,re=null,ve=null;return{setTest:function(Pe){Pe?J(i.DEPTH_TEST):Q(i.DEPTH_TEST)},setMask:function(Pe){Z!==Pe&&!S&&(i.depthMask(Pe),Z=Pe)},setFunc:function(Pe){if(re!==Pe){switch(Pe){case Tm:i.depthFunc(i.NEVER);break;case Am:i.depthFunc(i.ALWAYS);break;case Rm:i.depthFunc(i.LESS);break;case ta:i.depthFunc(i.LEQUAL);break;case Cm:i.depthFunc(i.EQUAL);break;case Pm:i.depthFunc(i.GEQUAL);break;case Lm:i.depthFunc(i.GREATER);break;case Dm:i.depthFunc(i.NOTEQUAL);break;default:i.depthFunc(i.LEQUAL)}re=Pe}},setLocked:function(Pe){S=Pe},setClear:function(Pe){ve!==Pe&&(i.clearDepth(Pe),ve=Pe)},reset:function(){S=!1,Z=null,re=null,ve=null}}}function n(){let S=!1,Z=null,re=null,ve=null,Pe=null,tt=null,it=null,bt=null,Ht=null;return{setTest:function(lt){S||(lt?J(i.STENCIL_TEST):Q(i.STENCIL_TEST))},setMask:function(lt){Z!==lt&&!S&&(i.stencilMask(lt),Z=lt)},setFunc:function(lt,Nt,ut){(re!==lt||ve!==Nt||Pe!==ut)&&(i.stencilFunc(lt,Nt,ut),re=lt,ve=Nt,Pe=ut)},setOp:function(lt,Nt,ut){(tt!==lt||it!==Nt||bt!==ut)&&(i.stencilOp(lt,Nt,ut),tt=lt,it=Nt,bt=ut)},setLocked:function(lt){S=lt},setClear:function(lt){Ht!==lt&&(i.clearStencil(lt),Ht=lt)},reset:function(){S=!1,Z=null,re=null,ve=null,Pe=null,tt=null,it=null,bt=null,Ht=null}}}const s=new e,r=new t,o=new n,a=new WeakMap,l=new WeakMap;let c={},u={},h=new WeakMap,f=[],p=null,_=!1,x=null,m=null,d=null,y=null,M=null,w=null,V=null,T=new St(0,0,0),C=0,U=!1,E=null,v=null,D=null,H=null,L=null;const j=i.getParameter(i.MAX_COMBINED_TEXTURE_IMAGE_UNITS);let q=!1,te=0;const ie=i.getParameter(i.VERSION);ie.indexOf("WebGL")!==-1?(te=parseFloat(/^WebGL (\d)/.exec(ie)[1]),q=te>=1):ie.indexOf("OpenGL ES")!==-1&&(te=parseFloat(/^OpenGL ES (\d)/.exec(ie)[1]),q=te>=2);let ne=null,fe={};const G=i.getParameter(i.SCISSOR_BOX),ce=i.getParameter(i.VIEWPORT),F=new fn().fromArray(G),B=new fn().fromArray(ce);function N(S,Z,re,ve){const Pe=new Uint8Array(4),tt=i.createTexture();i.bindTexture(S,tt),i.texParameteri(S,i.TEXTURE_MIN_FILTER,i.NEAREST),i.texParameteri(S,i.TEXTURE_MAG_FILTER,i.NEAREST);for(let it=0;it<re;it++)S===i.TEXTURE_3D||S===i.TEXTURE_2D_ARRAY?i.texImage3D(Z,0,i.RGBA,1,1,ve,0,i.RGBA,i.UNSIGNED_BYTE,Pe):i.texImage2D(Z+it,0,i.RGBA,1,1,0,i.RGBA,i.UNSIGNED_BYTE,Pe);return tt}const W={};W[i.TEXTURE_2D]=N(i.TEXTURE_2D,i.TEXTURE_2D,1),W[i.TEXTURE_CUBE_MAP]=N(i.TEXTURE_CUBE_MAP,i.TEXTURE_CUBE_MAP_POSITIVE_X,6),W[i.TEXTURE_2D_ARRAY]=N(i.TEXTURE_2D_ARRAY,i.TEXTURE_2D_ARRAY,1,1),W[i.TEXTURE_3D]=N(i.TEXTURE_3D,i.TEXTURE_3D,1,1),s.setClear(0,0,0,1),r.setClear(1),o.setClear(0),J(i.DEPTH_TEST),r.setFunc(ta),we(!1),Re(fu),J(i.CULL_FACE),Ee(ts);function J(S){c[S]!==!0&&(i.enable(S),c[S]=!0)}function Q(S){c[S]!==!1&&(i.disable(S),c[S]=!1)}function K(S,Z){return u[S]!==Z?(i.bindFramebuffer(S,Z),u[S]=Z,S===i.DRAW_FRAMEBUFFER&&(u[i.FRAMEBUFFER]=Z),S===i.FRAMEBUFFER&&(u[i.DRAW_FRAMEBUFFER]=Z),!0):!1}function X(S,Z){let re=f,ve=!1;if(S){re=h.get(Z),re===void 0&&(re=[],h.set(Z,re));const Pe=S.textures;if(re.length!==Pe.length||re[0]!==i.COLOR_ATTACHMENT0){for(let tt=0,it=Pe.length;tt<it;tt++)re[tt]=i.COLOR_ATTACHMENT0+tt;re.length=Pe.length,ve=!0}}else re[0]!==i.BACK&&(re[0]=i.BACK,ve=!0);ve&&i.drawBuffers(re)}function O(S){return p!==S?(i.useProgram(S),p=S,!0):!1}const pe={[xs]:i.FUNC_ADD,[cm]:i.FUNC_SUBTRACT,[um]:i.FUNC_REVERSE_SUBTRACT};pe[hm]=i.MIN,pe[fm]=i.MAX;const de={[dm]:i.ZERO,[pm]:i.ONE,[mm]:i.SRC_COLOR,[Wl]:i.SRC_ALPHA,[Sm]:i.SRC_ALPHA_SATURATE,[xm]:i.DST_COLOR,[_m]:i.DST_ALPHA,[gm]:i.ONE_MINUS_SRC_COLOR,[$l]:i.ONE_MINUS_SRC_ALPHA,[Mm]:i.ONE_MINUS_DST_COLOR,[vm]:i.ONE_MINUS_DST_ALPHA,[ym]:i.CONSTANT_COLOR,[Em]:i.ONE_MINUS_CONSTANT_COLOR,[bm]:i.CONSTANT_ALPHA,[wm]:i.ONE_MINUS_CONSTANT_ALPHA};function Ee(S,Z,re,ve,Pe,tt,it,bt,Ht,lt){if(S===ts){_===!0&&(Q(i.BLEND),_=!1);return}if(_===!1&&(J(i.BLEND),_=!0),S!==lm){if(S!==x||lt!==U){if((m!==xs||M!==xs)&&(i.blendEquation(i.FUNC_ADD),m=xs,M=xs),lt)switch(S){case pr:i.blendFuncSeparate(i.ONE,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case du:i.blendFunc(i.ONE,i.ONE);break;case pu:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case mu:i.blendFuncSeparate(i.ZERO,i.SRC_COLOR,i.ZERO,i.SRC_ALPHA);break;default:console.error("THREE.WebGLState: Invalid blending: ",S);break}else switch(S){case pr:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case du:i.blendFunc(i.SRC_ALPHA,i.ONE);break;case pu:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case mu:i.blendFunc(i.ZERO,i.SRC_COLOR);break;default:console.error("THREE.WebGLState: Invalid blending: ",S);break}d=null,y=null,w=null,V=null,T.set(0,0,0),C=0,x=S,U=lt}return}Pe=Pe||Z,tt=tt||re,it=it||ve,(Z!==m||Pe!==M)&&(i.blendEquationSeparate(pe[Z],pe[Pe]),m=Z,M=Pe),(re!==d||ve!==y||tt!==w||it!==V)&&(i.blendFuncSeparate(de[re],de[ve],de[tt],de[it]),d=re,y=ve,w=tt,V=it),(bt.equals(T)===!1||Ht!==C)&&(i.blendColor(bt.r,bt.g,bt.b,Ht),T.copy(bt),C=Ht),x=S,U=!1}function xe(S,Z){S.side===ci?Q(i.CULL_FACE):J(i.CULL_FACE);let re=S.side===Un;Z&&(re=!re),we(re),S.blending===pr&&S.transparent===!1?Ee(ts):Ee(S.blending,S.blendEquation,S.blendSrc,S.blendDst,S.blendEquationAlpha,S.blendSrcAlpha,S.blendDstAlpha,S.blendColor,S.blendAlpha,S.premultipliedAlpha),r.setFunc(S.depthFunc),r.setTest(S.depthTest),r.setMask(S.depthWrite),s.setMask(S.colorWrite);const ve=S.stencilWrite;o.setTest(ve),ve&&(o.setMask(S.stencilWriteMask),o.setFunc(S.stencilFunc,S.stencilRef,S.stencilFuncMask),o.setOp(S.stencilFail,S.stencilZFail,S.stencilZPass)),ht(S.polygonOffset,S.polygonOffsetFactor,S.polygonOffsetUnits),S.alphaToCoverage===!0?J(i.SAMPLE_ALPHA_TO_COVERAGE):Q(i.SAMPLE_ALPHA_TO_COVERAGE)}function we(S){E!==S&&(S?i.frontFace(i.CW):i.frontFace(i.CCW),E=S)}function Re(S){S!==rm?(J(i.CULL_FACE),S!==v&&(S===fu?i.cullFace(i.BACK):S===om?i.cullFace(i.FRONT):i.cullFace(i.FRONT_AND_BACK))):Q(i.CULL_FACE),v=S}function Ge(S){S!==D&&(q&&i.lineWidth(S),D=S)}function ht(S,Z,re){S?(J(i.POLYGON_OFFSET_FILL),(H!==Z||L!==re)&&(i.polygonOffset(Z,re),H=Z,L=re)):Q(i.POLYGON_OFFSET_FILL)}function z(S){S?J(i.SCISSOR_TEST):Q(i.SCISSOR_TEST)}function R(S){S===void 0&&(S=i.TEXTURE0+j-1),ne!==S&&(i.activeTexture(S),ne=S)}function ae(S,Z,re){re===void 0&&(ne===null?re=i.TEXTURE0+j-1:re=ne);let ve=fe[re];ve===void 0&&(ve={type:void 0,texture:void 0},fe[re]=ve),(ve.type!==S||ve.texture!==Z)&&(ne!==re&&(i.activeTexture(re),ne=re),i.bindTexture(S,Z||W[S]),ve.type=S,ve.texture=Z)}function ge(){const S=fe[ne];S!==void 0&&S.type!==void 0&&(i.bindTexture(S.type,null),S.type=void 0,S.texture=void 0)}function Me(){try{i.compressedTexImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function he(){try{i.compressedTexImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function me(){try{i.texSubImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Se(){try{i.texSubImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function be(){try{i.compressedTexSubImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Ye(){try{i.compressedTexSubImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Ae(){try{i.texStorage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function ke(){try{i.texStorage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function et(){try{i.texImage2D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Be(){try{i.texImage3D.apply(i,arguments)}catch(S){console.error("THREE.WebGLState:",S)}}function Le(S){F.equals(S)===!1&&(i.scissor(S.x,S.y,S.z,S.w),F.copy(S))}function Ve(S){B.equals(S)===!1&&(i.viewport(S.x,S.y,S.z,S.w),B.copy(S))}function qe(S,Z){let re=l.get(Z);re===void 0&&(re=new WeakMap,l.set(Z,re));let ve=re.get(S);ve===void 0&&(ve=i.getUniformBlockIndex(Z,S.name),re.set(S,ve))}function ft(S,Z){const ve=l.get(Z).get(S);a.get(Z)!==ve&&(i.uniformBlockBinding(Z,ve,S.__bindingPointIndex),a.set(Z,ve))}function Je(){i.disable(i.BLEND),i.disable(i.CULL_FACE),i.disable(i.DEPTH_TEST),i.disable(i.POLYGON_OFFSET_FILL),i.disable(i.SCISSOR_TEST),i.disable(i.STENCIL_TEST),i.disable(i.SAMPLE_ALPHA_TO_COVERAGE),i.blendEquation(i.FUNC_ADD),i.blendFunc(i.ONE,i.ZERO),i.blendFuncSeparate(i.ONE,i.ZERO,i.ONE,i.ZERO),i.blendColor(0,0,0,0),i.colorMask(!0,!0,!0,!0),i.clearColor(0,0,0,0),i.depthMask(!0),i.depthFunc(i.LESS),i.clearDepth(1),i.stencilMask(4294967295),i.stencilFunc(i.ALWAYS,0,4294967295),i.stencilOp(i.KEEP,i.KEEP,i.KEEP),i.clearStencil(0),i.cullFace(i.BACK),i.frontFace(i.CCW),i.polygonOffset(0,0),i.activeTexture(i.TEXTURE0),i.bindFramebuffer(i.FRAMEBUFFER,null),i.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),i.bindFramebuffer(i.READ_FRAMEBUFFER,null),i.useProgram(null),i.lineWidth(1),i.scissor(0,0,i.canvas.width,i.canvas.height),i.viewport(0,0,i.canvas.width,i.canvas.height),c={},ne=null,fe={},u={},h=new WeakMap,f=[],p=null,_=!1,x=null,m=null,d=null,y=null,M=null,w=null,V=null,T=new St(0,0,0),C=0,U=!1,E=null,v=null,D=null,H=null,L=null,F.set(0,0,i.canvas.width,i.canvas.height),B.set(0,0,i.canvas.width,i.canvas.height),s.reset(),r.reset(),o.reset()}return{buffers:{color:s,depth:r,stencil:o},enable:J,disable:Q,bindFramebuffer:K,drawBuffers:X,useProgram:O,setBlending:Ee,setMaterial:xe,setFlipSided:we,setCullFace:Re,setLineWidth:Ge,setPolygonOffset:ht,setScissorTest:z,activeTexture:R,bindTexture:ae,unbindTexture:ge,compressedTexImage2D:Me,compressedTexImage3D:he,texImage2D:et,texImage3D:Be,updateUBOMapping:qe,uniformBlockBinding:ft,texStorage2D:Ae,texStorage3D:ke,texSubImage2D:me,texSubImage3D:Se,compressedTexSubImage2D:be,compressedTexSubImage3D:Ye,scissor:Le,viewport:Ve,reset:Je}}function hM(i,e,t,n,s,r,o){const a=e.has("WEBGL_multisampled_render_to_texture")?e.get("WEBGL_multisampled_render_to_texture"):null,l=typeof navigator>"u"?!1:/OculusBrowser/g.test(navigator.userAgent),c=new ze,u=new WeakMap;let h;const f=new WeakMap;let p=!1;try{p=typeof OffscreenCanvas<"u"&&new OffscreenCanvas(1,1).getContext("2d")!==null}catch{}function _(z,R){return p?new OffscreenCanvas(z,R):oa("canvas")}function x(z,R,ae){let ge=1;const Me=ht(z);if((Me.width>ae||Me.height>ae)&&(ge=ae/Math.max(Me.width,Me.height)),ge<1)if(typeof HTMLImageElement<"u"&&z instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&z instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&z instanceof ImageBitmap||typeof VideoFrame<"u"&&z instanceof VideoFrame){const he=Math.floor(ge*Me.width),me=Math.floor(ge*Me.height);h===void 0&&(h=_(he,me));const Se=R?_(he,me):h;return Se.width=he,Se.height=me,Se.getContext("2d").drawImage(z,0,0,he,me),console.warn("THREE.WebGLRenderer: Texture has been resized from ("+Me.width+"x"+Me.height+") to ("+he+"x"+me+")."),Se}else return"data"in z&&console.warn("THREE.WebGLRenderer: Image in DataTexture is too big ("+Me.width+"x"+Me.height+")."),z;return z}function m(z){return z.generateMipmaps&&z.minFilter!==Ln&&z.minFilter!==ui}function d(z){i.generateMipmap(z)}function y(z,R,ae,ge,Me=!1){if(z!==null){if(i[z]!==void 0)return i[z];console.warn("THREE.WebGLRenderer: Attempt to use non-existing WebGL internal format '"+z+"'")}let he=R;if(R===i.RED&&(ae===i.FLOAT&&(he=i.R32F),ae===i.HALF_FLOAT&&(he=i.R16F),ae===i.UNSIGNED_BYTE&&(he=i.R8)),R===i.RED_INTEGER&&(ae===i.UNSIGNED_BYTE&&(he=i.R8UI),ae===i.UNSIGNED_SHORT&&(he=i.R16UI),ae===i.UNSIGNED_INT&&(he=i.R32UI),ae===i.BYTE&&(he=i.R8I),ae===i.SHORT&&(he=i.R16I),ae===i.INT&&(he=i.R32I)),R===i.RG&&(ae===i.FLOAT&&(he=i.RG32F),ae===i.HALF_FLOAT&&(he=i.RG16F),ae===i.UNSIGNED_BYTE&&(he=i.RG8)),R===i.RG_INTEGER&&(ae===i.UNSIGNED_BYTE&&(he=i.RG8UI),ae===i.UNSIGNED_SHORT&&(he=i.RG16UI),ae===i.UNSIGNED_INT&&(he=i.RG32UI),ae===i.BYTE&&(he=i.RG8I),ae===i.SHORT&&(he=i.RG16I),ae===i.INT&&(he=i.RG32I)),R===i.RGB&&ae===i.UNSIGNED_INT_5_9_9_9_REV&&(he=i.RGB9_E5),R===i.RGBA){const me=Me?na:vt.getTransfer(ge);ae===i.FLOAT&&(he=i.RGBA32F),ae===i.HALF_FLOAT&&(he=i.RGBA16F),ae===i.UNSIGNED_BYTE&&(he=me===Pt?i.SRGB8_ALPHA8:i.RGBA8),ae===i.UNSIGNED_SHORT_4_4_4_4&&(he=i.RGBA4),ae===i.UNSIGNED_SHORT_5_5_5_1&&(he=i.RGB5_A1)}return(he===i.R16F||he===i.R32F||he===i.RG16F||he===i.RG32F||he===i.RGBA16F||he===i.RGBA32F)&&e.get("EXT_color_buffer_float"),he}function M(z,R){return m(z)===!0||z.isFramebufferTexture&&z.minFilter!==Ln&&z.minFilter!==ui?Math.log2(Math.max(R.width,R.height))+1:z.mipmaps!==void 0&&z.mipmaps.length>0?z.mipmaps.length:z.isCompressedTexture&&Array.isArray(z.image)?R.mipmaps.length:1}function w(z){const R=z.target;R.removeEventListener("dispose",w),T(R),R.isVideoTexture&&u.delete(R)}function V(z){const R=z.target;R.removeEventListener("dispose",V),U(R)}function T(z){const R=n.get(z);if(R.__webglInit===void 0)return;const ae=z.source,ge=f.get(ae);if(ge){const Me=ge[R.__cacheKey];Me.usedTimes--,Me.usedTimes===0&&C(z),Object.keys(ge).length===0&&f.delete(ae)}n.remove(z)}function C(z){const R=n.get(z);i.deleteTexture(R.__webglTexture);const ae=z.source,ge=f.get(ae);delete ge[R.__cacheKey],o.memory.textures--}function U(z){const R=n.get(z);if(z.depthTexture&&z.depthTexture.dispose(),z.isWebGLCubeRenderTarget)for(let ge=0;ge<6;ge++){if(Array.isArray(R.__webglFramebuffer[ge]))for(let Me=0;Me<R.__webglFramebuffer[ge].length;Me++)i.deleteFramebuffer(R.__webglFramebuffer[ge][Me]);else i.deleteFramebuffer(R.__webglFramebuffer[ge]);R.__webglDepthbuffer&&i.deleteRenderbuffer(R.__webglDepthbuffer[ge])}else{if(Array.isArray(R.__webglFramebuffer))for(let ge=0;ge<R.__webglFramebuffer.length;ge++)i.deleteFramebuffer(R.__webglFramebuffer[ge]);else i.deleteFramebuffer(R.__webglFramebuffer);if(R.__webglDepthbuffer&&i.deleteRenderbuffer(R.__webglDepthbuffer),R.__webglMultisampledFramebuffer&&i.deleteFramebuffer(R.__webglMultisampledFramebuffer),R.__webglColorRenderbuffer)for(let ge=0;ge<R.__webglColorRenderbuffer.length;ge++)R.__webglColorRenderbuffer[ge]&&i.deleteRenderbuffer(R.__webglColorRenderbuffer[ge]);R.__webglDepthRenderbuffer&&i.deleteRenderbuffer(R.__webglDepthRenderbuffer)}const ae=z.textures;for(let ge=0,Me=ae.length;ge<Me;ge++){const he=n.get(ae[ge]);he.__webglTexture&&(i.deleteTexture(he.__webglTexture),o.memory.textures--),n.remove(ae[ge])}n.remove(z)}let E=0;function v(){E=0}function D(){const z=E;return z>=s.maxTextures&&console.warn("THREE.WebGLTextures: Trying to use "+z+" texture units while this GPU supports only "+s.maxTextures),E+=1,z}function H(z){const R=[];return R.push(z.wrapS),R.push(z.wrapT),R.push(z.wrapR||0),R.push(z.magFilter),R.push(z.minFilter),R.push(z.anisotropy),R.push(z.internalFormat),R.push(z.format),R.push(z.type),R.push(z.generateMipmaps),R.push(z.premultiplyAlpha),R.push(z.flipY),R.push(z.unpackAlignment),R.push(z.colorSpace),R.join()}function L(z,R){const ae=n.get(z);if(z.isVideoTexture&&Re(z),z.isRenderTargetTexture===!1&&z.version>0&&ae.__version!==z.version){const ge=z.image;if(ge===null)console.warn("THREE.WebGLRenderer: Texture marked for update but no image data found.");else if(ge.complete===!1)console.warn("THREE.WebGLRenderer: Texture marked for update but image is incomplete");else{F(ae,z,R);return}}t.bindTexture(i.TEXTURE_2D,ae.__webglTexture,i.TEXTURE0+R)}function j(z,R){const ae=n.get(z);if(z.version>0&&ae.__version!==z.version){F(ae,z,R);return}t.bindTexture(i.TEXTURE_2D_ARRAY,ae.__webglTexture,i.TEXTURE0+R)}function q(z,R){const ae=n.get(z);if(z.version>0&&ae.__version!==z.version){F(ae,z,R);return}t.bindTexture(i.TEXTURE_3D,ae.__webglTexture,i.TEXTURE0+R)}function te(z,R){const ae=n.get(z);if(z.version>0&&ae.__version!==z.version){B(ae,z,R);return}t.bindTexture(i.TEXTURE_CUBE_MAP,ae.__webglTexture,i.TEXTURE0+R)}const ie={[ql]:i.REPEAT,[Es]:i.CLAMP_TO_EDGE,[jl]:i.MIRRORED_REPEAT},ne={[Ln]:i.NEAREST,[Vm]:i.NEAREST_MIPMAP_NEAREST,[xo]:i.NEAREST_MIPMAP_LINEAR,[ui]:i.LINEAR,[$a]:i.LINEAR_MIPMAP_NEAREST,[bs]:i.LINEAR_MIPMAP_LINEAR},fe={[ig]:i.NEVER,[cg]:i.ALWAYS,[sg]:i.LESS,[dd]:i.LEQUAL,[rg]:i.EQUAL,[lg]:i.GEQUAL,[og]:i.GREATER,[ag]:i.NOTEQUAL};function G(z,R){if(R.type===es&&e.has("OES_texture_float_linear")===!1&&(R.magFilter===ui||R.magFilter===$a||R.magFilter===xo||R.magFilter===bs||R.minFilter===ui||R.minFilter===$a||R.minFilter===xo||R.minFilter===bs)&&console.warn("THREE.WebGLRenderer: Unable to use linear filtering with floating point textures. OES_texture_float_linear not supported on this device."),i.texParameteri(z,i.TEXTURE_WRAP_S,ie[R.wrapS]),i.texParameteri(z,i.TEXTURE_WRAP_T,ie[R.wrapT]),(z===i.TEXTURE_3D||z===i.TEXTURE_2D_ARRAY)&&i.texParameteri(z,i.TEXTURE_WRAP_R,ie[R.wrapR]),i.texParameteri(z,i.TEXTURE_MAG_FILTER,ne[R.magFilter]),i.texParameteri(z,i.TEXTURE_MIN_FILTER,ne[R.minFilter]),R.compareFunction&&(i.texParameteri(z,i.TEXTURE_COMPARE_MODE,i.COMPARE_REF_TO_TEXTURE),i.texParameteri(z,i.TEXTURE_COMPARE_FUNC,fe[R.compareFunction])),e.has("EXT_texture_filter_anisotropic")===!0){if(R.magFilter===Ln||R.minFilter!==xo&&R.minFilter!==bs||R.type===es&&e.has("OES_texture_float_linear")===!1)return;if(R.anisotropy>1||n.get(R).__currentAnisotropy){const ae=e.get("EXT_texture_filter_anisotropic");i.texParameterf(z,ae.TEXTURE_MAX_ANISOTROPY_EXT,Math.min(R.anisotropy,s.getMaxAnisotropy())),n.get(R).__currentAnisotropy=R.anisotropy}}}function ce(z,R){let ae=!1;z.__webglInit===void 0&&(z.__webglInit=!0,R.addEventListener("dispose",w));const ge=R.source;let Me=f.get(ge);Me===void 0&&(Me={},f.set(ge,Me));const he=H(R);if(he!==z.__cacheKey){Me[he]===void 0&&(Me[he]={texture:i.createTexture(),usedTimes:0},o.memory.textures++,ae=!0),Me[he].usedTimes++;const me=Me[z.__cacheKey];me!==void 0&&(Me[z.__cacheKey].usedTimes--,me.usedTimes===0&&C(R)),z.__cacheKey=he,z.__webglTexture=Me[he].texture}return ae}function F(z,R,ae){let ge=i.TEXTURE_2D;(R.isDataArrayTexture||R.isCompressedArrayTexture)&&(ge=i.TEXTURE_2D_ARRAY),R.isData3DTexture&&(ge=i.TEXTURE_3D);const Me=ce(z,R),he=R.source;t.bindTexture(ge,z.__webglTexture,i.TEXTURE0+ae);const me=n.get(he);if(he.version!==me.__version||Me===!0){t.activeTexture(i.TEXTURE0+ae);const Se=vt.getPrimaries(vt.workingColorSpace),be=R.colorSpace===Qi?null:vt.getPrimaries(R.colorSpace),Ye=R.colorSpace===Qi||Se===be?i.NONE:i.BROWSER_DEFAULT_WEBGL;i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,R.flipY),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,R.premultiplyAlpha),i.pixelStorei(i.UNPACK_ALIGNMENT,R.unpackAlignment),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,Ye);let Ae=x(R.image,!1,s.maxTextureSize);Ae=Ge(R,Ae);const ke=r.convert(R.format,R.colorSpace),et=r.convert(R.type);let Be=y(R.internalFormat,ke,et,R.colorSpace,R.isVideoTexture);G(ge,R);let Le;const Ve=R.mipmaps,qe=R.isVideoTexture!==!0,ft=me.__version===void 0||Me===!0,Je=he.dataReady,S=M(R,Ae);if(R.isDepthTexture)Be=i.DEPTH_COMPONENT16,R.type===es?Be=i.DEPTH_COMPONENT32F:R.type===Sr?Be=i.DEPTH_COMPONENT24:R.type===ao&&(Be=i.DEPTH24_STENCIL8),ft&&(qe?t.texStorage2D(i.TEXTURE_2D,1,Be,Ae.width,Ae.height):t.texImage2D(i.TEXTURE_2D,0,Be,Ae.width,Ae.height,0,ke,et,null));else if(R.isDataTexture)if(Ve.length>0){qe&&ft&&t.texStorage2D(i.TEXTURE_2D,S,Be,Ve[0].width,Ve[0].height);for(let Z=0,re=Ve.length;Z<re;Z++)Le=Ve[Z],qe?Je&&t.texSubImage2D(i.TEXTURE_2D,Z,0,0,Le.width,Le.height,ke,et,Le.data):t.texImage2D(i.TEXTURE_2D,Z,Be,Le.width,Le.height,0,ke,et,Le.data);R.generateMipmaps=!1}else qe?(ft&&t.texStorage2D(i.TEXTURE_2D,S,Be,Ae.width,Ae.height),Je&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,Ae.width,Ae.height,ke,et,Ae.data)):t.texImage2D(i.TEXTURE_2D,0,Be,Ae.width,Ae.height,0,ke,et,Ae.data);else if(R.isCompressedTexture)if(R.isCompressedArrayTexture){qe&&ft&&t.texStorage3D(i.TEXTURE_2D_ARRAY,S,Be,Ve[0].width,Ve[0].height,Ae.depth);for(let Z=0,re=Ve.length;Z<re;Z++)Le=Ve[Z],R.format!==yi?ke!==null?qe?Je&&t.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,Z,0,0,0,Le.width,Le.height,Ae.depth,ke,Le.data,0,0):t.compressedTexImage3D(i.TEXTURE_2D_ARRAY,Z,Be,Le.width,Le.height,Ae.depth,0,Le.data,0,0):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):qe?Je&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,Z,0,0,0,Le.width,Le.height,Ae.depth,ke,et,Le.data):t.texImage3D(i.TEXTURE_2D_ARRAY,Z,Be,Le.width,Le.height,Ae.depth,0,ke,et,Le.data)}else{qe&&ft&&t.texStorage2D(i.TEXTURE_2D,S,Be,Ve[0].width,Ve[0].height);for(let Z=0,re=Ve.length;Z<re;Z++)Le=Ve[Z],R.format!==yi?ke!==null?qe?Je&&t.compressedTexSubImage2D(i.TEXTURE_2D,Z,0,0,Le.width,Le.height,ke,Le.data):t.compressedTexImage2D(i.TEXTURE_2D,Z,Be,Le.width,Le.height,0,Le.data):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):qe?Je&&t.texSubImage2D(i.TEXTURE_2D,Z,0,0,Le.width,Le.height,ke,et,Le.data):t.texImage2D(i.TEXTURE_2D,Z,Be,Le.width,Le.height,0,ke,et,Le.data)}else if(R.isDataArrayTexture)qe?(ft&&t.texStorage3D(i.TEXTURE_2D_ARRAY,S,Be,Ae.width,Ae.height,Ae.depth),Je&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,0,Ae.width,Ae.height,Ae.depth,ke,et,Ae.data)):t.texImage3D(i.TEXTURE_2D_ARRAY,0,Be,Ae.width,Ae.height,Ae.depth,0,ke,et,Ae.data);else if(R.isData3DTexture)qe?(ft&&t.texStorage3D(i.TEXTURE_3D,S,Be,Ae.width,Ae.height,Ae.depth),Je&&t.texSubImage3D(i.TEXTURE_3D,0,0,0,0,Ae.width,Ae.height,Ae.depth,ke,et,Ae.data)):t.texImage3D(i.TEXTURE_3D,0,Be,Ae.width,Ae.height,Ae.depth,0,ke,et,Ae.data);else if(R.isFramebufferTexture){if(ft)if(qe)t.texStorage2D(i.TEXTURE_2D,S,Be,Ae.width,Ae.height);else{let Z=Ae.width,re=Ae.height;for(let ve=0;ve<S;ve++)t.texImage2D(i.TEXTURE_2D,ve,Be,Z,re,0,ke,et,null),Z>>=1,re>>=1}}else if(Ve.length>0){if(qe&&ft){const Z=ht(Ve[0]);t.texStorage2D(i.TEXTURE_2D,S,Be,Z.width,Z.height)}for(let Z=0,re=Ve.length;Z<re;Z++)Le=Ve[Z],qe?Je&&t.texSubImage2D(i.TEXTURE_2D,Z,0,0,ke,et,Le):t.texImage2D(i.TEXTURE_2D,Z,Be,ke,et,Le);R.generateMipmaps=!1}else if(qe){if(ft){const Z=ht(Ae);t.texStorage2D(i.TEXTURE_2D,S,Be,Z.width,Z.height)}Je&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,ke,et,Ae)}else t.texImage2D(i.TEXTURE_2D,0,Be,ke,et,Ae);m(R)&&d(ge),me.__version=he.version,R.onUpdate&&R.onUpdate(R)}z.__version=R.version}function B(z,R,ae){if(R.image.length!==6)return;const ge=ce(z,R),Me=R.source;t.bindTexture(i.TEXTURE_CUBE_MAP,z.__webglTexture,i.TEXTURE0+ae);const he=n.get(Me);if(Me.version!==he.__version||ge===!0){t.activeTexture(i.TEXTURE0+ae);const me=vt.getPrimaries(vt.workingColorSpace),Se=R.colorSpace===Qi?null:vt.getPrimaries(R.colorSpace),be=R.colorSpace===Qi||me===Se?i.NONE:i.BROWSER_DEFAULT_WEBGL;i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,R.flipY),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,R.premultiplyAlpha),i.pixelStorei(i.UNPACK_ALIGNMENT,R.unpackAlignment),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,be);const Ye=R.isCompressedTexture||R.image[0].isCompressedTexture,Ae=R.image[0]&&R.image[0].isDataTexture,ke=[];for(let re=0;re<6;re++)!Ye&&!Ae?ke[re]=x(R.image[re],!0,s.maxCubemapSize):ke[re]=Ae?R.image[re].image:R.image[re],ke[re]=Ge(R,ke[re]);const et=ke[0],Be=r.convert(R.format,R.colorSpace),Le=r.convert(R.type),Ve=y(R.internalFormat,Be,Le,R.colorSpace),qe=R.isVideoTexture!==!0,ft=he.__version===void 0||ge===!0,Je=Me.dataReady;let S=M(R,et);G(i.TEXTURE_CUBE_MAP,R);let Z;if(Ye){qe&&ft&&t.texStorage2D(i.TEXTURE_CUBE_MAP,S,Ve,et.width,et.height);for(let re=0;re<6;re++){Z=ke[re].mipmaps;for(let ve=0;ve<Z.length;ve++){const Pe=Z[ve];R.format!==yi?Be!==null?qe?Je&&t.compressedTexSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve,0,0,Pe.width,Pe.height,Be,Pe.data):t.compressedTexImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve,Ve,Pe.width,Pe.height,0,Pe.data):console.warn("THREE.WebGLRenderer: Attempt to load unsupported compressed texture format in .setTextureCube()"):qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve,0,0,Pe.width,Pe.height,Be,Le,Pe.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve,Ve,Pe.width,Pe.height,0,Be,Le,Pe.data)}}}else{if(Z=R.mipmaps,qe&&ft){Z.length>0&&S++;const re=ht(ke[0]);t.texStorage2D(i.TEXTURE_CUBE_MAP,S,Ve,re.width,re.height)}for(let re=0;re<6;re++)if(Ae){qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,0,0,ke[re].width,ke[re].height,Be,Le,ke[re].data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,Ve,ke[re].width,ke[re].height,0,Be,Le,ke[re].data);for(let ve=0;ve<Z.length;ve++){const tt=Z[ve].image[re].image;qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve+1,0,0,tt.width,tt.height,Be,Le,tt.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve+1,Ve,tt.width,tt.height,0,Be,Le,tt.data)}}else{qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,0,0,Be,Le,ke[re]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,0,Ve,Be,Le,ke[re]);for(let ve=0;ve<Z.length;ve++){const Pe=Z[ve];qe?Je&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve+1,0,0,Be,Le,Pe.image[re]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+re,ve+1,Ve,Be,Le,Pe.image[re])}}}m(R)&&d(i.TEXTURE_CUBE_MAP),he.__version=Me.version,R.onUpdate&&R.onUpdate(R)}z.__version=R.version}function N(z,R,ae,ge,Me,he){const me=r.convert(ae.format,ae.colorSpace),Se=r.convert(ae.type),be=y(ae.internalFormat,me,Se,ae.colorSpace);if(!n.get(R).__hasExternalTextures){const Ae=Math.max(1,R.width>>he),ke=Math.max(1,R.height>>he);Me===i.TEXTURE_3D||Me===i.TEXTURE_2D_ARRAY?t.texImage3D(Me,he,be,Ae,ke,R.depth,0,me,Se,null):t.texImage2D(Me,he,be,Ae,ke,0,me,Se,null)}t.bindFramebuffer(i.FRAMEBUFFER,z),we(R)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ge,Me,n.get(ae).__webglTexture,0,xe(R)):(Me===i.TEXTURE_2D||Me>=i.TEXTURE_CUBE_MAP_POSITIVE_X&&Me<=i.TEXTURE_CUBE_MAP_NEGATIVE_Z)&&i.framebufferTexture2D(i.FRAMEBUFFER,ge,Me,n.get(ae).__webglTexture,he),t.bindFramebuffer(i.FRAMEBUFFER,null)}function W(z,R,ae){if(i.bindRenderbuffer(i.RENDERBUFFER,z),R.depthBuffer&&!R.stencilBuffer){let ge=i.DEPTH_COMPONENT24;if(ae||we(R)){const Me=R.depthTexture;Me&&Me.isDepthTexture&&(Me.type===es?ge=i.DEPTH_COMPONENT32F:Me.type===Sr&&(ge=i.DEPTH_COMPONENT24));const he=xe(R);we(R)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,he,ge,R.width,R.height):i.renderbufferStorageMultisample(i.RENDERBUFFER,he,ge,R.width,R.height)}else i.renderbufferStorage(i.RENDERBUFFER,ge,R.width,R.height);i.framebufferRenderbuffer(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.RENDERBUFFER,z)}else if(R.depthBuffer&&R.stencilBuffer){const ge=xe(R);ae&&we(R)===!1?i.renderbufferStorageMultisample(i.RENDERBUFFER,ge,i.DEPTH24_STENCIL8,R.width,R.height):we(R)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,ge,i.DEPTH24_STENCIL8,R.width,R.height):i.renderbufferStorage(i.RENDERBUFFER,i.DEPTH_STENCIL,R.width,R.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.RENDERBUFFER,z)}else{const ge=R.textures;for(let Me=0;Me<ge.length;Me++){const he=ge[Me],me=r.convert(he.format,he.colorSpace),Se=r.convert(he.type),be=y(he.internalFormat,me,Se,he.colorSpace),Ye=xe(R);ae&&we(R)===!1?i.renderbufferStorageMultisample(i.RENDERBUFFER,Ye,be,R.width,R.height):we(R)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,Ye,be,R.width,R.height):i.renderbufferStorage(i.RENDERBUFFER,be,R.width,R.height)}}i.bindRenderbuffer(i.RENDERBUFFER,null)}function J(z,R){if(R&&R.isWebGLCubeRenderTarget)throw new Error("Depth Texture with cube render targets is not supported");if(t.bindFramebuffer(i.FRAMEBUFFER,z),!(R.depthTexture&&R.depthTexture.isDepthTexture))throw new Error("renderTarget.depthTexture must be an instance of THREE.DepthTexture");(!n.get(R.depthTexture).__webglTexture||R.depthTexture.image.width!==R.width||R.depthTexture.image.height!==R.height)&&(R.depthTexture.image.width=R.width,R.depthTexture.image.height=R.height,R.depthTexture.needsUpdate=!0),L(R.depthTexture,0);const ge=n.get(R.depthTexture).__webglTexture,Me=xe(R);if(R.depthTexture.format===mr)we(R)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.TEXTURE_2D,ge,0,Me):i.framebufferTexture2D(i.FRAMEBUFFER,i.DEPTH_ATTACHMENT,i.TEXTURE_2D,ge,0);else if(R.depthTexture.format===to)we(R)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.TEXTURE_2D,ge,0,Me):i.framebufferTexture2D(i.FRAMEBUFFER,i.DEPTH_STENCIL_ATTACHMENT,i.TEXTURE_2D,ge,0);else throw new Error("Unknown depthTexture format")}function Q(z){const R=n.get(z),ae=z.isWebGLCubeRenderTarget===!0;if(z.depthTexture&&!R.__autoAllocateDepthBuffer){if(ae)throw new Error("target.depthTexture not supported in Cube render targets");J(R.__webglFramebuffer,z)}else if(ae){R.__webglDepthbuffer=[];for(let ge=0;ge<6;ge++)t.bindFramebuffer(i.FRAMEBUFFER,R.__webglFramebuffer[ge]),R.__webglDepthbuffer[ge]=i.createRenderbuffer(),W(R.__webglDepthbuffer[ge],z,!1)}else t.bindFramebuffer(i.FRAMEBUFFER,R.__webglFramebuffer),R.__webglDepthbuffer=i.createRenderbuffer(),W(R.__webglDepthbuffer,z,!1);t.bindFramebuffer(i.FRAMEBUFFER,null)}function K(z,R,ae){const ge=n.get(z);R!==void 0&&N(ge.__webglFramebuffer,z,z.texture,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,0),ae!==void 0&&Q(z)}function X(z){const R=z.texture,ae=n.get(z),ge=n.get(R);z.addEventListener("dispose",V);const Me=z.textures,he=z.isWebGLCubeRenderTarget===!0,me=Me.length>1;if(me||(ge.__webglTexture===void 0&&(ge.__webglTexture=i.createTexture()),ge.__version=R.version,o.memory.textures++),he){ae.__webglFramebuffer=[];for(let Se=0;Se<6;Se++)if(R.mipmaps&&R.mipmaps.length>0){ae.__webglFramebuffer[Se]=[];for(let be=0;be<R.mipmaps.length;be++)ae.__webglFramebuffer[Se][be]=i.createFramebuffer()}else ae.__webglFramebuffer[Se]=i.createFramebuffer()}else{if(R.mipmaps&&R.mipmaps.length>0){ae.__webglFramebuffer=[];for(let Se=0;Se<R.mipmaps.length;Se++)ae.__webglFramebuffer[Se]=i.createFramebuffer()}else ae.__webglFramebuffer=i.createFramebuffer();if(me)for(let Se=0,be=Me.length;Se<be;Se++){const Ye=n.get(Me[Se]);Ye.__webglTexture===void 0&&(Ye.__webglTexture=i.createTexture(),o.memory.textures++)}if(z.samples>0&&we(z)===!1){ae.__webglMultisampledFramebuffer=i.createFramebuffer(),ae.__webglColorRenderbuffer=[],t.bindFramebuffer(i.FRAMEBUFFER,ae.__webglMultisampledFramebuffer);for(let Se=0;Se<Me.length;Se++){const be=Me[Se];ae.__webglColorRenderbuffer[Se]=i.createRenderbuffer(),i.bindRenderbuffer(i.RENDERBUFFER,ae.__webglColorRenderbuffer[Se]);const Ye=r.convert(be.format,be.colorSpace),Ae=r.convert(be.type),ke=y(be.internalFormat,Ye,Ae,be.colorSpace,z.isXRRenderTarget===!0),et=xe(z);i.renderbufferStorageMultisample(i.RENDERBUFFER,et,ke,z.width,z.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+Se,i.RENDERBUFFER,ae.__webglColorRenderbuffer[Se])}i.bindRenderbuffer(i.RENDERBUFFER,null),z.depthBuffer&&(ae.__webglDepthRenderbuffer=i.createRenderbuffer(),W(ae.__webglDepthRenderbuffer,z,!0)),t.bindFramebuffer(i.FRAMEBUFFER,null)}}if(he){t.bindTexture(i.TEXTURE_CUBE_MAP,ge.__webglTexture),G(i.TEXTURE_CUBE_MAP,R);for(let Se=0;Se<6;Se++)if(R.mipmaps&&R.mipmaps.length>0)for(let be=0;be<R.mipmaps.length;be++)N(ae.__webglFramebuffer[Se][be],z,R,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Se,be);else N(ae.__webglFramebuffer[Se],z,R,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+Se,0);m(R)&&d(i.TEXTURE_CUBE_MAP),t.unbindTexture()}else if(me){for(let Se=0,be=Me.length;Se<be;Se++){const Ye=Me[Se],Ae=n.get(Ye);t.bindTexture(i.TEXTURE_2D,Ae.__webglTexture),G(i.TEXTURE_2D,Ye),N(ae.__webglFramebuffer,z,Ye,i.COLOR_ATTACHMENT0+Se,i.TEXTURE_2D,0),m(Ye)&&d(i.TEXTURE_2D)}t.unbindTexture()}else{let Se=i.TEXTURE_2D;if((z.isWebGL3DRenderTarget||z.isWebGLArrayRenderTarget)&&(Se=z.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),t.bindTexture(Se,ge.__webglTexture),G(Se,R),R.mipmaps&&R.mipmaps.length>0)for(let be=0;be<R.mipmaps.length;be++)N(ae.__webglFramebuffer[be],z,R,i.COLOR_ATTACHMENT0,Se,be);else N(ae.__webglFramebuffer,z,R,i.COLOR_ATTACHMENT0,Se,0);m(R)&&d(Se),t.unbindTexture()}z.depthBuffer&&Q(z)}function O(z){const R=z.textures;for(let ae=0,ge=R.length;ae<ge;ae++){const Me=R[ae];if(m(Me)){const he=z.isWebGLCubeRenderTarget?i.TEXTURE_CUBE_MAP:i.TEXTURE_2D,me=n.get(Me).__webglTexture;t.bindTexture(he,me),d(he),t.unbindTexture()}}}const pe=[],de=[];function Ee(z){if(z.samples>0){if(we(z)===!1){const R=z.textures,ae=z.width,ge=z.height;let Me=i.COLOR_BUFFER_BIT;const he=z.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,me=n.get(z),Se=R.length>1;if(Se)for(let be=0;be<R.length;be++)t.bindFramebuffer(i.FRAMEBUFFER,me.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+be,i.RENDERBUFFER,null),t.bindFramebuffer(i.FRAMEBUFFER,me.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+be,i.TEXTURE_2D,null,0);t.bindFramebuffer(i.READ_FRAMEBUFFER,me.__webglMultisampledFramebuffer),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,me.__webglFramebuffer);for(let be=0;be<R.length;be++){if(z.resolveDepthBuffer&&(z.depthBuffer&&(Me|=i.DEPTH_BUFFER_BIT),z.stencilBuffer&&z.resolveStencilBuffer&&(Me|=i.STENCIL_BUFFER_BIT)),Se){i.framebufferRenderbuffer(i.READ_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.RENDERBUFFER,me.__webglColorRenderbuffer[be]);const Ye=n.get(R[be]).__webglTexture;i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,Ye,0)}i.blitFramebuffer(0,0,ae,ge,0,0,ae,ge,Me,i.NEAREST),l===!0&&(pe.length=0,de.length=0,pe.push(i.COLOR_ATTACHMENT0+be),z.depthBuffer&&z.resolveDepthBuffer===!1&&(pe.push(he),de.push(he),i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,de)),i.invalidateFramebuffer(i.READ_FRAMEBUFFER,pe))}if(t.bindFramebuffer(i.READ_FRAMEBUFFER,null),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),Se)for(let be=0;be<R.length;be++){t.bindFramebuffer(i.FRAMEBUFFER,me.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+be,i.RENDERBUFFER,me.__webglColorRenderbuffer[be]);const Ye=n.get(R[be]).__webglTexture;t.bindFramebuffer(i.FRAMEBUFFER,me.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+be,i.TEXTURE_2D,Ye,0)}t.bindFramebuffer(i.DRAW_FRAMEBUFFER,me.__webglMultisampledFramebuffer)}else if(z.depthBuffer&&z.resolveDepthBuffer===!1&&l){const R=z.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,[R])}}}function xe(z){return Math.min(s.maxSamples,z.samples)}function we(z){const R=n.get(z);return z.samples>0&&e.has("WEBGL_multisampled_render_to_texture")===!0&&R.__useRenderToTexture!==!1}function Re(z){const R=o.render.frame;u.get(z)!==R&&(u.set(z,R),z.update())}function Ge(z,R){const ae=z.colorSpace,ge=z.format,Me=z.type;return z.isCompressedTexture===!0||z.isVideoTexture===!0||ae!==ki&&ae!==Qi&&(vt.getTransfer(ae)===Pt?(ge!==yi||Me!==ss)&&console.warn("THREE.WebGLTextures: sRGB encoded textures have to use RGBAFormat and UnsignedByteType."):console.error("THREE.WebGLTextures: Unsupported texture color space:",ae)),R}function ht(z){return typeof HTMLImageElement<"u"&&z instanceof HTMLImageElement?(c.width=z.naturalWidth||z.width,c.height=z.naturalHeight||z.height):typeof VideoFrame<"u"&&z instanceof VideoFrame?(c.width=z.displayWidth,c.height=z.displayHeight):(c.width=z.width,c.height=z.height),c}this.allocateTextureUnit=D,this.resetTextureUnits=v,this.setTexture2D=L,this.setTexture2DArray=j,this.setTexture3D=q,this.setTextureCube=te,this.rebindTextures=K,this.setupRenderTarget=X,this.updateRenderTargetMipmap=O,this.updateMultisampleRenderTarget=Ee,this.setupDepthRenderbuffer=Q,this.setupFrameBufferTexture=N,this.useMultisampledRTT=we}function fM(i,e){function t(n,s=Qi){let r;const o=vt.getTransfer(s);if(n===ss)return i.UNSIGNED_BYTE;if(n===ld)return i.UNSIGNED_SHORT_4_4_4_4;if(n===cd)return i.UNSIGNED_SHORT_5_5_5_1;if(n===$m)return i.UNSIGNED_INT_5_9_9_9_REV;if(n===Gm)return i.BYTE;if(n===Wm)return i.SHORT;if(n===od)return i.UNSIGNED_SHORT;if(n===ad)return i.INT;if(n===Sr)return i.UNSIGNED_INT;if(n===es)return i.FLOAT;if(n===pa)return i.HALF_FLOAT;if(n===Xm)return i.ALPHA;if(n===Ym)return i.RGB;if(n===yi)return i.RGBA;if(n===qm)return i.LUMINANCE;if(n===jm)return i.LUMINANCE_ALPHA;if(n===mr)return i.DEPTH_COMPONENT;if(n===to)return i.DEPTH_STENCIL;if(n===Km)return i.RED;if(n===ud)return i.RED_INTEGER;if(n===Zm)return i.RG;if(n===hd)return i.RG_INTEGER;if(n===fd)return i.RGBA_INTEGER;if(n===Xa||n===Ya||n===qa||n===ja)if(o===Pt)if(r=e.get("WEBGL_compressed_texture_s3tc_srgb"),r!==null){if(n===Xa)return r.COMPRESSED_SRGB_S3TC_DXT1_EXT;if(n===Ya)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT;if(n===qa)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT;if(n===ja)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT}else return null;else if(r=e.get("WEBGL_compressed_texture_s3tc"),r!==null){if(n===Xa)return r.COMPRESSED_RGB_S3TC_DXT1_EXT;if(n===Ya)return r.COMPRESSED_RGBA_S3TC_DXT1_EXT;if(n===qa)return r.COMPRESSED_RGBA_S3TC_DXT3_EXT;if(n===ja)return r.COMPRESSED_RGBA_S3TC_DXT5_EXT}else return null;if(n===gu||n===_u||n===vu||n===xu)if(r=e.get("WEBGL_compressed_texture_pvrtc"),r!==null){if(n===gu)return r.COMPRESSED_RGB_PVRTC_4BPPV1_IMG;if(n===_u)return r.COMPRESSED_RGB_PVRTC_2BPPV1_IMG;if(n===vu)return r.COMPRESSED_RGBA_PVRTC_4BPPV1_IMG;if(n===xu)return r.COMPRESSED_RGBA_PVRTC_2BPPV1_IMG}else return null;if(n===Mu||n===Su||n===yu)if(r=e.get("WEBGL_compressed_texture_etc"),r!==null){if(n===Mu||n===Su)return o===Pt?r.COMPRESSED_SRGB8_ETC2:r.COMPRESSED_RGB8_ETC2;if(n===yu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ETC2_EAC:r.COMPRESSED_RGBA8_ETC2_EAC}else return null;if(n===Eu||n===bu||n===wu||n===Tu||n===Au||n===Ru||n===Cu||n===Pu||n===Lu||n===Du||n===Uu||n===Iu||n===Nu||n===Ou)if(r=e.get("WEBGL_compressed_texture_astc"),r!==null){if(n===Eu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR:r.COMPRESSED_RGBA_ASTC_4x4_KHR;if(n===bu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR:r.COMPRESSED_RGBA_ASTC_5x4_KHR;if(n===wu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR:r.COMPRESSED_RGBA_ASTC_5x5_KHR;if(n===Tu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR:r.COMPRESSED_RGBA_ASTC_6x5_KHR;if(n===Au)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR:r.COMPRESSED_RGBA_ASTC_6x6_KHR;if(n===Ru)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR:r.COMPRESSED_RGBA_ASTC_8x5_KHR;if(n===Cu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR:r.COMPRESSED_RGBA_ASTC_8x6_KHR;if(n===Pu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR:r.COMPRESSED_RGBA_ASTC_8x8_KHR;if(n===Lu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR:r.COMPRESSED_RGBA_ASTC_10x5_KHR;if(n===Du)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR:r.COMPRESSED_RGBA_ASTC_10x6_KHR;if(n===Uu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR:r.COMPRESSED_RGBA_ASTC_10x8_KHR;if(n===Iu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR:r.COMPRESSED_RGBA_ASTC_10x10_KHR;if(n===Nu)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR:r.COMPRESSED_RGBA_ASTC_12x10_KHR;if(n===Ou)return o===Pt?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR:r.COMPRESSED_RGBA_ASTC_12x12_KHR}else return null;if(n===Ka||n===Fu||n===ku)if(r=e.get("EXT_texture_compression_bptc"),r!==null){if(n===Ka)return o===Pt?r.COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT:r.COMPRESSED_RGBA_BPTC_UNORM_EXT;if(n===Fu)return r.COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT;if(n===ku)return r.COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT}else return null;if(n===Jm||n===Bu||n===zu||n===Hu)if(r=e.get("EXT_texture_compression_rgtc"),r!==null){if(n===Ka)return r.COMPRESSED_RED_RGTC1_EXT;if(n===Bu)return r.COMPRESSED_SIGNED_RED_RGTC1_EXT;if(n===zu)return r.COMPRESSED_RED_GREEN_RGTC2_EXT;if(n===Hu)return r.COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT}else return null;return n===ao?i.UNSIGNED_INT_24_8:i[n]!==void 0?i[n]:null}return{convert:t}}class dM extends Zn{constructor(e=[]){super(),this.isArrayCamera=!0,this.cameras=e}}class dr extends Hn{constructor(){super(),this.isGroup=!0,this.type="Group"}}const pM={type:"move"};class yl{constructor(){this._targetRay=null,this._grip=null,this._hand=null}getHandSpace(){return this._hand===null&&(this._hand=new dr,this._hand.matrixAutoUpdate=!1,this._hand.visible=!1,this._hand.joints={},this._hand.inputState={pinching:!1}),this._hand}getTargetRaySpace(){return this._targetRay===null&&(this._targetRay=new dr,this._targetRay.matrixAutoUpdate=!1,this._targetRay.visible=!1,this._targetRay.hasLinearVelocity=!1,this._targetRay.linearVelocity=new Y,this._targetRay.hasAngularVelocity=!1,this._targetRay.angularVelocity=new Y),this._targetRay}getGripSpace(){return this._grip===null&&(this._grip=new dr,this._grip.matrixAutoUpdate=!1,this._grip.visible=!1,this._grip.hasLinearVelocity=!1,this._grip.linearVelocity=new Y,this._grip.hasAngularVelocity=!1,this._grip.angularVelocity=new Y),this._grip}dispatchEvent(e){return this._targetRay!==null&&this._targetRay.dispatchEvent(e),this._grip!==null&&this._grip.dispatchEvent(e),this._hand!==null&&this._hand.dispatchEvent(e),this}connect(e){if(e&&e.hand){const t=this._hand;if(t)for(const n of e.hand.values())this._getHandJoint(t,n)}return this.dispatchEvent({type:"connected",data:e}),this}disconnect(e){return this.dispatchEvent({type:"disconnected",data:e}),this._targetRay!==null&&(this._targetRay.visible=!1),this._grip!==null&&(this._grip.visible=!1),this._hand!==null&&(this._hand.visible=!1),this}update(e,t,n){let s=null,r=null,o=null;const a=this._targetRay,l=this._grip,c=this._hand;if(e&&t.session.visibilityState!=="visible-blurred"){if(c&&e.hand){o=!0;for(const x of e.hand.values()){const m=t.getJointPose(x,n),d=this._getHandJoint(c,x);m!==null&&(d.matrix.fromArray(m.transform.matrix),d.matrix.decompose(d.position,d.rotation,d.scale),d.matrixWorldNeedsUpdate=!0,d.jointRadius=m.radius),d.visible=m!==null}const u=c.joints["index-finger-tip"],h=c.joints["thumb-tip"],f=u.position.distanceTo(h.position),p=.02,_=.005;c.inputState.pinching&&f>p+_?(c.inputState.pinching=!1,this.dispatchEvent({type:"pinchend",handedness:e.handedness,target:this})):!c.inputState.pinching&&f<=p-_&&(c.inputState.pinching=!0,this.dispatchEvent({type:"pinchstart",handedness:e.handedness,target:this}))}else l!==null&&e.gripSpace&&(r=t.getPose(e.gripSpace,n),r!==null&&(l.matrix.fromArray(r.transform.matrix),l.matrix.decompose(l.position,l.rotation,l.scale),l.matrixWorldNeedsUpdate=!0,r.linearVelocity?(l.hasLinearVelocity=!0,l.linearVelocity.copy(r.linearVelocity)):l.hasLinearVelocity=!1,r.angularVelocity?(l.hasAngularVelocity=!0,l.angularVelocity.copy(r.angularVelocity)):l.hasAngularVelocity=!1));a!==null&&(s=t.getPose(e.targetRaySpace,n),s===null&&r!==null&&(s=r),s!==null&&(a.matrix.fromArray(s.transform.matrix),a.matrix.decompose(a.position,a.rotation,a.scale),a.matrixWorldNeedsUpdate=!0,s.linearVelocity?(a.hasLinearVelocity=!0,a.linearVelocity.copy(s.linearVelocity)):a.hasLinearVelocity=!1,s.angularVelocity?(a.hasAngularVelocity=!0,a.angularVelocity.copy(s.angularVelocity)):a.hasAngularVelocity=!1,this.dispatchEvent(pM)))}return a!==null&&(a.visible=s!==null),l!==null&&(l.visible=r!==null),c!==null&&(c.visible=o!==null),this}_getHandJoint(e,t){if(e.joints[t.jointName]===void 0){const n=new dr;n.matrixAutoUpdate=!1,n.visible=!1,e.joints[t.jointName]=n,e.add(n)}return e.joints[t.jointName]}}const mM=`
void main() {

	gl_Position = vec4( position, 1.0 );

}`,gM=`
uniform sampler2DArray depthColor;
uniform float depthWidth;
uniform float depthHeight;

void main() {

	vec2 coord = vec2( gl_FragCoord.x / depthWidth, gl_FragCoord.y / depthHeight );

	if ( coord.x >= 1.0 ) {

		gl_FragDepth = texture( depthColor, vec3( coord.x - 1.0, coord.y, 1 ) ).r;

	} else {

		gl_FragDepth = texture( depthColor, vec3( coord.x, coord.y, 0 ) ).r;

	}

}`;class _M{constructor(){this.texture=null,this.mesh=null,this.depthNear=0,this.depthFar=0}init(e,t,n){if(this.texture===null){const s=new Tn,r=e.properties.get(s);r.__webglTexture=t.texture,(t.depthNear!=n.depthNear||t.depthFar!=n.depthFar)&&(this.depthNear=t.depthNear,this.depthFar=t.depthFar),this.texture=s}}render(e,t){if(this.texture!==null){if(this.mesh===null){const n=t.cameras[0].viewport,s=new Ei({vertexShader:mM,fragmentShader:gM,uniforms:{depthColor:{value:this.texture},depthWidth:{value:n.z},depthHeight:{value:n.w}}});this.mesh=new Dn(new _a(20,20),s)}e.render(this.mesh,t)}}reset(){this.texture=null,this.mesh=null}}class vM extends Ps{constructor(e,t){super();const n=this;let s=null,r=1,o=null,a="local-floor",l=1,c=null,u=null,h=null,f=null,p=null,_=null;const x=new _M,m=t.getContextAttributes();let d=null,y=null;const M=[],w=[],V=new ze;let T=null;const C=new Zn;C.layers.enable(1),C.viewport=new fn;const U=new Zn;U.layers.enable(2),U.viewport=new fn;const E=[C,U],v=new dM;v.layers.enable(1),v.layers.enable(2);let D=null,H=null;this.cameraAutoUpdate=!0,this.enabled=!1,this.isPresenting=!1,this.getController=function(N){let W=M[N];return W===void 0&&(W=new yl,M[N]=W),W.getTargetRaySpace()},this.getControllerGrip=function(N){let W=M[N];return W===void 0&&(W=new yl,M[N]=W),W.getGripSpace()},this.getHand=function(N){let W=M[N];return W===void 0&&(W=new yl,M[N]=W),W.getHandSpace()};function L(N){const W=w.indexOf(N.inputSource);if(W===-1)return;const J=M[W];J!==void 0&&(J.update(N.inputSource,N.frame,c||o),J.dispatchEvent({type:N.type,data:N.inputSource}))}function j(){s.removeEventListener("select",L),s.removeEventListener("selectstart",L),s.removeEventListener("selectend",L),s.removeEventListener("squeeze",L),s.removeEventListener("squeezestart",L),s.removeEventListener("squeezeend",L),s.removeEventListener("end",j),s.removeEventListener("inputsourceschange",q);for(let N=0;N<M.length;N++){const W=w[N];W!==null&&(w[N]=null,M[N].disconnect(W))}D=null,H=null,x.reset(),e.setRenderTarget(d),p=null,f=null,h=null,s=null,y=null,B.stop(),n.isPresenting=!1,e.setPixelRatio(T),e.setSize(V.width,V.height,!1),n.dispatchEvent({type:"sessionend"})}this.setFramebufferScaleFactor=function(N){r=N,n.isPresenting===!0&&console.warn("THREE.WebXRManager: Cannot change framebuffer scale while presenting.")},this.setReferenceSpaceType=function(N){a=N,n.isPresenting===!0&&console.warn("THREE.WebXRManager: Cannot change reference space type while presenting.")},this.getReferenceSpace=function(){return c||o},this.setReferenceSpace=function(N){c=N},this.getBaseLayer=function(){return f!==null?f:p},this.getBinding=function(){return h},this.getFrame=function(){return _},this.getSession=function(){return s},this.setSession=async function(N){if(s=N,s!==null){if(d=e.getRenderTarget(),s.addEventListener("select",L),s.addEventListener("selectstart",L),s.addEventListener("selectend",L),s.addEventListener("squeeze",L),s.addEventListener("squeezestart",L),s.addEventListener("squeezeend",L),s.addEventListener("end",j),s.addEventListener("inputsourceschange",q),m.xrCompatible!==!0&&await t.makeXRCompatible(),T=e.getPixelRatio(),e.getSize(V),s.renderState.layers===void 0){const W={antialias:m.antialias,alpha:!0,depth:m.depth,stencil:m.stencil,framebufferScaleFactor:r};p=new XRWebGLLayer(s,t,W),s.updateRenderState({baseLayer:p}),e.setPixelRatio(1),e.setSize(p.framebufferWidth,p.framebufferHeight,!1),y=new As(p.framebufferWidth,p.framebufferHeight,{format:yi,type:ss,colorSpace:e.outputColorSpace,stencilBuffer:m.stencil})}else{let W=null,J=null,Q=null;m.depth&&(Q=m.stencil?t.DEPTH24_STENCIL8:t.DEPTH_COMPONENT24,W=m.stencil?to:mr,J=m.stencil?ao:Sr);const K={colorFormat:t.RGBA8,depthFormat:Q,scaleFactor:r};h=new XRWebGLBinding(s,t),f=h.createProjectionLayer(K),s.updateRenderState({layers:[f]}),e.setPixelRatio(1),e.setSize(f.textureWidth,f.textureHeight,!1),y=new As(f.textureWidth,f.textureHeight,{format:yi,type:ss,depthTexture:new wd(f.textureWidth,f.textureHeight,J,void 0,void 0,void 0,void 0,void 0,void 0,W),stencilBuffer:m.stencil,colorSpace:e.outputColorSpace,samples:m.antialias?4:0,resolveDepthBuffer:f.ignoreDepthValues===!1})}y.isXRRenderTarget=!0,this.setFoveation(l),c=null,o=await s.requestReferenceSpace(a),B.setContext(s),B.start(),n.isPresenting=!0,n.dispatchEvent({type:"sessionstart"})}},this.getEnvironmentBlendMode=function(){if(s!==null)return s.environmentBlendMode};function q(N){for(let W=0;W<N.removed.length;W++){const J=N.removed[W],Q=w.indexOf(J);Q>=0&&(w[Q]=null,M[Q].disconnect(J))}for(let W=0;W<N.added.length;W++){const J=N.added[W];let Q=w.indexOf(J);if(Q===-1){for(let X=0;X<M.length;X++)if(X>=w.length){w.push(J),Q=X;break}else if(w[X]===null){w[X]=J,Q=X;break}if(Q===-1)break}const K=M[Q];K&&K.connect(J)}}const te=new Y,ie=new Y;function ne(N,W,J){te.setFromMatrixPosition(W.matrixWorld),ie.setFromMatrixPosition(J.matrixWorld);const Q=te.distanceTo(ie),K=W.projectionMatrix.elements,X=J.projectionMatrix.elements,O=K[14]/(K[10]-1),pe=K[14]/(K[10]+1),de=(K[9]+1)/K[5],Ee=(K[9]-1)/K[5],xe=(K[8]-1)/K[0],we=(X[8]+1)/X[0],Re=O*xe,Ge=O*we,ht=Q/(-xe+we),z=ht*-xe;W.matrixWorld.decompose(N.position,N.quaternion,N.scale),N.translateX(z),N.translateZ(ht),N.matrixWorld.compose(N.position,N.quaternion,N.scale),N.matrixWorldInverse.copy(N.matrixWorld).invert();const R=O+ht,ae=pe+ht,ge=Re-z,Me=Ge+(Q-z),he=de*pe/ae*R,me=Ee*pe/ae*R;N.projectionMatrix.makePerspective(ge,Me,he,me,R,ae),N.projectionMatrixInverse.copy(N.projectionMatrix).invert()}function fe(N,W){W===null?N.matrixWorld.copy(N.matrix):N.matrixWorld.multiplyMatrices(W.matrixWorld,N.matrix),N.matrixWorldInverse.copy(N.matrixWorld).invert()}this.updateCamera=function(N){if(s===null)return;x.texture!==null&&(N.near=x.depthNear,N.far=x.depthFar),v.near=U.near=C.near=N.near,v.far=U.far=C.far=N.far,(D!==v.near||H!==v.far)&&(s.updateRenderState({depthNear:v.near,depthFar:v.far}),D=v.near,H=v.far,C.near=D,C.far=H,U.near=D,U.far=H,C.updateProjectionMatrix(),U.updateProjectionMatrix(),N.updateProjectionMatrix());const W=N.parent,J=v.cameras;fe(v,W);for(let Q=0;Q<J.length;Q++)fe(J[Q],W);J.length===2?ne(v,C,U):v.projectionMatrix.copy(C.projectionMatrix),G(N,v,W)};function G(N,W,J){J===null?N.matrix.copy(W.matrixWorld):(N.matrix.copy(J.matrixWorld),N.matrix.invert(),N.matrix.multiply(W.matrixWorld)),N.matrix.decompose(N.position,N.quaternion,N.scale),N.updateMatrixWorld(!0),N.projectionMatrix.copy(W.projectionMatrix),N.projectionMatrixInverse.copy(W.projectionMatrixInverse),N.isPerspectiveCamera&&(N.fov=Kl*2*Math.atan(1/N.projectionMatrix.elements[5]),N.zoom=1)}this.getCamera=function(){return v},this.getFoveation=function(){if(!(f===null&&p===null))return l},this.setFoveation=function(N){l=N,f!==null&&(f.fixedFoveation=N),p!==null&&p.fixedFoveation!==void 0&&(p.fixedFoveation=N)},this.hasDepthSensing=function(){return x.texture!==null};let ce=null;function F(N,W){if(u=W.getViewerPose(c||o),_=W,u!==null){const J=u.views;p!==null&&(e.setRenderTargetFramebuffer(y,p.framebuffer),e.setRenderTarget(y));let Q=!1;J.length!==v.cameras.length&&(v.cameras.length=0,Q=!0);for(let X=0;X<J.length;X++){const O=J[X];let pe=null;if(p!==null)pe=p.getViewport(O);else{const Ee=h.getViewSubImage(f,O);pe=Ee.viewport,X===0&&(e.setRenderTargetTextures(y,Ee.colorTexture,f.ignoreDepthValues?void 0:Ee.depthStencilTexture),e.setRenderTarget(y))}let de=E[X];de===void 0&&(de=new Zn,de.layers.enable(X),de.viewport=new fn,E[X]=de),de.matrix.fromArray(O.transform.matrix),de.matrix.decompose(de.position,de.quaternion,de.scale),de.projectionMatrix.fromArray(O.projectionMatrix),de.projectionMatrixInverse.copy(de.projectionMatrix).invert(),de.viewport.set(pe.x,pe.y,pe.width,pe.height),X===0&&(v.matrix.copy(de.matrix),v.matrix.decompose(v.position,v.quaternion,v.scale)),Q===!0&&v.cameras.push(de)}const K=s.enabledFeatures;if(K&&K.includes("depth-sensing")){const X=h.getDepthInformation(J[0]);X&&X.isValid&&X.texture&&x.init(e,X,s.renderState)}}for(let J=0;J<M.length;J++){const Q=w[J],K=M[J];Q!==null&&K!==void 0&&K.update(Q,W,c||o)}x.render(e,v),ce&&ce(N,W),W.detectedPlanes&&n.dispatchEvent({type:"planesdetected",data:W}),_=null}const B=new bd;B.setAnimationLoop(F),this.setAnimationLoop=function(N){ce=N},this.dispose=function(){}}}const ps=new Fi,xM=new zt;function MM(i,e){function t(m,d){m.matrixAutoUpdate===!0&&m.updateMatrix(),d.value.copy(m.matrix)}function n(m,d){d.color.getRGB(m.fogColor.value,Md(i)),d.isFog?(m.fogNear.value=d.near,m.fogFar.value=d.far):d.isFogExp2&&(m.fogDensity.value=d.density)}function s(m,d,y,M,w){d.isMeshBasicMaterial||d.isMeshLambertMaterial?r(m,d):d.isMeshToonMaterial?(r(m,d),h(m,d)):d.isMeshPhongMaterial?(r(m,d),u(m,d)):d.isMeshStandardMaterial?(r(m,d),f(m,d),d.isMeshPhysicalMaterial&&p(m,d,w)):d.isMeshMatcapMaterial?(r(m,d),_(m,d)):d.isMeshDepthMaterial?r(m,d):d.isMeshDistanceMaterial?(r(m,d),x(m,d)):d.isMeshNormalMaterial?r(m,d):d.isLineBasicMaterial?(o(m,d),d.isLineDashedMaterial&&a(m,d)):d.isPointsMaterial?l(m,d,y,M):d.isSpriteMaterial?c(m,d):d.isShadowMaterial?(m.color.value.copy(d.color),m.opacity.value=d.opacity):d.isShaderMaterial&&(d.uniformsNeedUpdate=!1)}function r(m,d){m.opacity.value=d.opacity,d.color&&m.diffuse.value.copy(d.color),d.emissive&&m.emissive.value.copy(d.emissive).multiplyScalar(d.emissiveIntensity),d.map&&(m.map.value=d.map,t(d.map,m.mapTransform)),d.alphaMap&&(m.alphaMap.value=d.alphaMap,t(d.alphaMap,m.alphaMapTransform)),d.bumpMap&&(m.bumpMap.value=d.bumpMap,t(d.bumpMap,m.bumpMapTransform),m.bumpScale.value=d.bumpScale,d.side===Un&&(m.bumpScale.value*=-1)),d.normalMap&&(m.normalMap.value=d.normalMap,t(d.normalMap,m.normalMapTransform),m.normalScale.value.copy(d.normalScale),d.side===Un&&m.normalScale.value.negate()),d.displacementMap&&(m.displacementMap.value=d.displacementMap,t(d.displacementMap,m.displacementMapTransform),m.displacementScale.value=d.displacementScale,m.displacementBias.value=d.displacementBias),d.emissiveMap&&(m.emissiveMap.value=d.emissiveMap,t(d.emissiveMap,m.emissiveMapTransform)),d.specularMap&&(m.specularMap.value=d.specularMap,t(d.specularMap,m.specularMapTransform)),d.alphaTest>0&&(m.alphaTest.value=d.alphaTest);const y=e.get(d),M=y.envMap,w=y.envMapRotation;if(M&&(m.envMap.value=M,ps.copy(w),ps.x*=-1,ps.y*=-1,ps.z*=-1,M.isCubeTexture&&M.isRenderTargetTexture===!1&&(ps.y*=-1,ps.z*=-1),m.envMapRotation.value.setFromMatrix4(xM.makeRotationFromEuler(ps)),m.flipEnvMap.value=M.isCubeTexture&&M.isRenderTargetTexture===!1?-1:1,m.reflectivity.value=d.reflectivity,m.ior.value=d.ior,m.refractionRatio.value=d.refractionRatio),d.lightMap){m.lightMap.value=d.lightMap;const V=i._useLegacyLights===!0?Math.PI:1;m.lightMapIntensity.value=d.lightMapIntensity*V,t(d.lightMap,m.lightMapTransform)}d.aoMap&&(m.aoMap.value=d.aoMap,m.aoMapIntensity.value=d.aoMapIntensity,t(d.aoMap,m.aoMapTransform))}function o(m,d){m.diffuse.value.copy(d.color),m.opacity.value=d.opacity,d.map&&(m.map.value=d.map,t(d.map,m.mapTransform))}function a(m,d){m.dashSize.value=d.dashSize,m.totalSize.value=d.dashSize+d.gapSize,m.scale.value=d.scale}function l(m,d,y,M){m.diffuse.value.copy(d.color),m.opacity.value=d.opacity,m.size.value=d.size*y,m.scale.value=M*.5,d.map&&(m.map.value=d.map,t(d.map,m.uvTransform)),d.alphaMap&&(m.alphaMap.value=d.alphaMap,t(d.alphaMap,m.alphaMapTransform)),d.alphaTest>0&&(m.alphaTest.value=d.alphaTest)}function c(m,d){m.diffuse.value.copy(d.color),m.opacity.value=d.opacity,m.rotation.value=d.rotation,d.map&&(m.map.value=d.map,t(d.map,m.mapTransform)),d.alphaMap&&(m.alphaMap.value=d.alphaMap,t(d.alphaMap,m.alphaMapTransform)),d.alphaTest>0&&(m.alphaTest.value=d.alphaTest)}function u(m,d){m.specular.value.copy(d.specular),m.shininess.value=Math.max(d.shininess,1e-4)}function h(m,d){d.gradientMap&&(m.gradientMap.value=d.gradientMap)}function f(m,d){m.metalness.value=d.metalness,d.metalnessMap&&(m.metalnessMap.value=d.metalnessMap,t(d.metalnessMap,m.metalnessMapTransform)),m.roughness.value=d.roughness,d.roughnessMap&&(m.roughnessMap.value=d.roughnessMap,t(d.roughnessMap,m.roughnessMapTransform)),d.envMap&&(m.envMapIntensity.value=d.envMapIntensity)}function p(m,d,y){m.ior.value=d.ior,d.sheen>0&&(m.sheenColor.value.copy(d.sheenColor).multiplyScalar(d.sheen),m.sheenRoughness.value=d.sheenRoughness,d.sheenColorMap&&(m.sheenColorMap.value=d.sheenColorMap,t(d.sheenColorMap,m.sheenColorMapTransform)),d.sheenRoughnessMap&&(m.sheenRoughnessMap.value=d.sheenRoughnessMap,t(d.sheenRoughnessMap,m.sheenRoughnessMapTransform))),d.clearcoat>0&&(m.clearcoat.value=d.clearcoat,m.clearcoatRoughness.value=d.clearcoatRoughness,d.clearcoatMap&&(m.clearcoatMap.value=d.clearcoatMap,t(d.clearcoatMap,m.clearcoatMapTransform)),d.clearcoatRoughnessMap&&(m.clearcoatRoughnessMap.value=d.clearcoatRoughnessMap,t(d.clearcoatRoughnessMap,m.clearcoatRoughnessMapTransform)),d.clearcoatNormalMap&&(m.clearcoatNormalMap.value=d.clearcoatNormalMap,t(d.clearcoatNormalMap,m.clearcoatNormalMapTransform),m.clearcoatNormalScale.value.copy(d.clearcoatNormalScale),d.side===Un&&m.clearcoatNormalScale.value.negate())),d.dispersion>0&&(m.dispersion.value=d.dispersion),d.iridescence>0&&(m.iridescence.value=d.iridescence,m.iridescenceIOR.value=d.iridescenceIOR,m.iridescenceThicknessMinimum.value=d.iridescenceThicknessRange[0],m.iridescenceThicknessMaximum.value=d.iridescenceThicknessRange[1],d.iridescenceMap&&(m.iridescenceMap.value=d.iridescenceMap,t(d.iridescenceMap,m.iridescenceMapTransform)),d.iridescenceThicknessMap&&(m.iridescenceThicknessMap.value=d.iridescenceThicknessMap,t(d.iridescenceThicknessMap,m.iridescenceThicknessMapTransform))),d.transmission>0&&(m.transmission.value=d.transmission,m.transmissionSamplerMap.value=y.texture,m.transmissionSamplerSize.value.set(y.width,y.height),d.transmissionMap&&(m.transmissionMap.value=d.transmissionMap,t(d.transmissionMap,m.transmissionMapTransform)),m.thickness.value=d.thickness,d.thicknessMap&&(m.thicknessMap.value=d.thicknessMap,t(d.thicknessMap,m.thicknessMapTransform)),m.attenuationDistance.value=d.attenuationDistance,m.attenuationColor.value.copy(d.attenuationColor)),d.anisotropy>0&&(m.anisotropyVector.value.set(d.anisotropy*Math.cos(d.anisotropyRotation),d.anisotropy*Math.sin(d.anisotropyRotation)),d.anisotropyMap&&(m.anisotropyMap.value=d.anisotropyMap,t(d.anisotropyMap,m.anisotropyMapTransform))),m.specularIntensity.value=d.specularIntensity,m.specularColor.value.copy(d.specularColor),d.specularColorMap&&(m.specularColorMap.value=d.specularColorMap,t(d.specularColorMap,m.specularColorMapTransform)),d.specularIntensityMap&&(m.specularIntensityMap.value=d.specularIntensityMap,t(d.specularIntensityMap,m.specularIntensityMapTransform))}function _(m,d){d.matcap&&(m.matcap.value=d.matcap)}function x(m,d){const y=e.get(d).light;m.referencePosition.value.setFromMatrixPosition(y.matrixWorld),m.nearDistance.value=y.shadow.camera.near,m.farDistance.value=y.shadow.camera.far}return{refreshFogUniforms:n,refreshMaterialUniforms:s}}function SM(i,e,t,n){let s={},r={},o=[];const a=i.getParameter(i.MAX_UNIFORM_BUFFER_BINDINGS);function l(y,M){const w=M.program;n.uniformBlockBinding(y,w)}function c(y,M){let w=s[y.id];w===void 0&&(_(y),w=u(y),s[y.id]=w,y.addEventListener("dispose",m));const V=M.program;n.updateUBOMapping(y,V);const T=e.render.frame;r[y.id]!==T&&(f(y),r[y.id]=T)}function u(y){const M=h();y.__bindingPointIndex=M;const w=i.createBuffer(),V=y.__size,T=y.usage;return i.bindBuffer(i.UNIFORM_BUFFER,w),i.bufferData(i.UNIFORM_BUFFER,V,T),i.bindBuffer(i.UNIFORM_BUFFER,null),i.bindBufferBase(i.UNIFORM_BUFFER,M,w),w}function h(){for(let y=0;y<a;y++)if(o.indexOf(y)===-1)return o.push(y),y;return console.error("THREE.WebGLRenderer: Maximum number of simultaneously usable uniforms groups reached."),0}function f(y){const M=s[y.id],w=y.uniforms,V=y.__cache;i.bindBuffer(i.UNIFORM_BUFFER,M);for(let T=0,C=w.length;T<C;T++){const U=Array.isArray(w[T])?w[T]:[w[T]];for(let E=0,v=U.length;E<v;E++){const D=U[E];if(p(D,T,E,V)===!0){const H=D.__offset,L=Array.isArray(D.value)?D.value:[D.value];let j=0;for(let q=0;q<L.length;q++){const te=L[q],ie=x(te);typeof te=="number"||typeof te=="boolean"?(D.__data[0]=te,i.bufferSubData(i.UNIFORM_BUFFER,H+j,D.__data)):te.isMatrix3?(D.__data[0]=te.elements[0],D.__data[1]=te.elements[1],D.__data[2]=te.elements[2],D.__data[3]=0,D.__data[4]=te.elements[3],D.__data[5]=te.elements[4],D.__data[6]=te.elements[5],D.__data[7]=0,D.__data[8]=te.elements[6],D.__data[9]=te.elements[7],D.__data[10]=te.elements[8],D.__data[11]=0):(te.toArray(D.__data,j),j+=ie.storage/Float32Array.BYTES_PER_ELEMENT)}i.bufferSubData(i.UNIFORM_BUFFER,H,D.__data)}}}i.bindBuffer(i.UNIFORM_BUFFER,null)}function p(y,M,w,V){const T=y.value,C=M+"_"+w;if(V[C]===void 0)return typeof T=="number"||typeof T=="boolean"?V[C]=T:V[C]=T.clone(),!0;{const U=V[C];if(typeof T=="number"||typeof T=="boolean"){if(U!==T)return V[C]=T,!0}else if(U.equals(T)===!1)return U.copy(T),!0}return!1}function _(y){const M=y.uniforms;let w=0;const V=16;for(let C=0,U=M.length;C<U;C++){const E=Array.isArray(M[C])?M[C]:[M[C]];for(let v=0,D=E.length;v<D;v++){const H=E[v],L=Array.isArray(H.value)?H.value:[H.value];for(let j=0,q=L.length;j<q;j++){const te=L[j],ie=x(te),ne=w%V;ne!==0&&V-ne<ie.boundary&&(w+=V-ne),H.__data=new Float32Array(ie.storage/Float32Array.BYTES_PER_ELEMENT),H.__offset=w,w+=ie.storage}}}const T=w%V;return T>0&&(w+=V-T),y.__size=w,y.__cache={},this}function x(y){const M={boundary:0,storage:0};return typeof y=="number"||typeof y=="boolean"?(M.boundary=4,M.storage=4):y.isVector2?(M.boundary=8,M.storage=8):y.isVector3||y.isColor?(M.boundary=16,M.storage=12):y.isVector4?(M.boundary=16,M.storage=16):y.isMatrix3?(M.boundary=48,M.storage=48):y.isMatrix4?(M.boundary=64,M.storage=64):y.isTexture?console.warn("THREE.WebGLRenderer: Texture samplers can not be part of an uniforms group."):console.warn("THREE.WebGLRenderer: Unsupported uniform value type.",y),M}function m(y){const M=y.target;M.removeEventListener("dispose",m);const w=o.indexOf(M.__bindingPointIndex);o.splice(w,1),i.deleteBuffer(s[M.id]),delete s[M.id],delete r[M.id]}function d(){for(const y in s)i.deleteBuffer(s[y]);o=[],s={},r={}}return{bind:l,update:c,dispose:d}}class yM{constructor(e={}){const{canvas:t=dg(),context:n=null,depth:s=!0,stencil:r=!1,alpha:o=!1,antialias:a=!1,premultipliedAlpha:l=!0,preserveDrawingBuffer:c=!1,powerPreference:u="default",failIfMajorPerformanceCaveat:h=!1}=e;this.isWebGLRenderer=!0;let f;if(n!==null){if(typeof WebGLRenderingContext<"u"&&n instanceof WebGLRenderingContext)throw new Error("THREE.WebGLRenderer: WebGL 1 is not supported since r163.");f=n.getContextAttributes().alpha}else f=o;const p=new Uint32Array(4),_=new Int32Array(4);let x=null,m=null;const d=[],y=[];this.domElement=t,this.debug={checkShaderErrors:!0,onShaderError:null},this.autoClear=!0,this.autoClearColor=!0,this.autoClearDepth=!0,this.autoClearStencil=!0,this.sortObjects=!0,this.clippingPlanes=[],this.localClippingEnabled=!1,this._outputColorSpace=xi,this._useLegacyLights=!1,this.toneMapping=ns,this.toneMappingExposure=1;const M=this;let w=!1,V=0,T=0,C=null,U=-1,E=null;const v=new fn,D=new fn;let H=null;const L=new St(0);let j=0,q=t.width,te=t.height,ie=1,ne=null,fe=null;const G=new fn(0,0,q,te),ce=new fn(0,0,q,te);let F=!1;const B=new Ed;let N=!1,W=!1;const J=new zt,Q=new Y,K={background:null,fog:null,environment:null,overrideMaterial:null,isScene:!0};function X(){return C===null?ie:1}let O=n;function pe(P,ee){return t.getContext(P,ee)}try{const P={alpha:!0,depth:s,stencil:r,antialias:a,premultipliedAlpha:l,preserveDrawingBuffer:c,powerPreference:u,failIfMajorPerformanceCaveat:h};if("setAttribute"in t&&t.setAttribute("data-engine",`three.js r${pc}`),t.addEventListener("webglcontextlost",S,!1),t.addEventListener("webglcontextrestored",Z,!1),t.addEventListener("webglcontextcreationerror",re,!1),O===null){const ee="webgl2";if(O=pe(ee,P),O===null)throw pe(ee)?new Error("Error creating WebGL context with your selected attributes."):new Error("Error creating WebGL context.")}}catch(P){throw console.error("THREE.WebGLRenderer: "+P.message),P}let de,Ee,xe,we,Re,Ge,ht,z,R,ae,ge,Me,he,me,Se,be,Ye,Ae,ke,et,Be,Le,Ve,qe;function ft(){de=new Pv(O),de.init(),Le=new fM(O,de),Ee=new Ev(O,de,e,Le),xe=new uM(O),we=new Uv(O),Re=new Kx,Ge=new hM(O,de,xe,Re,Ee,Le,we),ht=new wv(M),z=new Cv(M),R=new Bg(O),Ve=new Sv(O,R),ae=new Lv(O,R,we,Ve),ge=new Nv(O,ae,R,we),ke=new Iv(O,Ee,Ge),be=new bv(Re),Me=new jx(M,ht,z,de,Ee,Ve,be),he=new MM(M,Re),me=new Jx,Se=new sM(de),Ae=new Mv(M,ht,z,xe,ge,f,l),Ye=new cM(M,ge,Ee),qe=new SM(O,we,Ee,xe),et=new yv(O,de,we),Be=new Dv(O,de,we),we.programs=Me.programs,M.capabilities=Ee,M.extensions=de,M.properties=Re,M.renderLists=me,M.shadowMap=Ye,M.state=xe,M.info=we}ft();const Je=new vM(M,O);this.xr=Je,this.getContext=function(){return O},this.getContextAttributes=function(){return O.getContextAttributes()},this.forceContextLoss=function(){const P=de.get("WEBGL_lose_context");P&&P.loseContext()},this.forceContextRestore=function(){const P=de.get("WEBGL_lose_context");P&&P.restoreContext()},this.getPixelRatio=function(){return ie},this.setPixelRatio=function(P){P!==void 0&&(ie=P,this.setSize(q,te,!1))},this.getSize=function(P){return P.set(q,te)},this.setSize=function(P,ee,ue=!0){if(Je.isPresenting){console.warn("THREE.WebGLRenderer: Can't change size while VR device is presenting.");return}q=P,te=ee,t.width=Math.floor(P*ie),t.height=Math.floor(ee*ie),ue===!0&&(t.style.width=P+"px",t.style.height=ee+"px"),this.setViewport(0,0,P,ee)},this.getDrawingBufferSize=function(P){return P.set(q*ie,te*ie).floor()},this.setDrawingBufferSize=function(P,ee,ue){q=P,te=ee,ie=ue,t.width=Math.floor(P*ue),t.height=Math.floor(ee*ue),this.setViewport(0,0,P,ee)},this.getCurrentViewport=function(P){return P.copy(v)},this.getViewport=function(P){return P.copy(G)},this.setViewport=function(P,ee,ue,le){P.isVector4?G.set(P.x,P.y,P.z,P.w):G.set(P,ee,ue,le),xe.viewport(v.copy(G).multiplyScalar(ie).round())},this.getScissor=function(P){return P.copy(ce)},this.setScissor=function(P,ee,ue,le){P.isVector4?ce.set(P.x,P.y,P.z,P.w):ce.set(P,ee,ue,le),xe.scissor(D.copy(ce).multiplyScalar(ie).round())},this.getScissorTest=function(){return F},this.setScissorTest=function(P){xe.setScissorTest(F=P)},this.setOpaqueSort=function(P){ne=P},this.setTransparentSort=function(P){fe=P},this.getClearColor=function(P){return P.copy(Ae.getClearColor())},this.setClearColor=function(){Ae.setClearColor.apply(Ae,arguments)},this.getClearAlpha=function(){return Ae.getClearAlpha()},this.setClearAlpha=function(){Ae.setClearAlpha.apply(Ae,arguments)},this.clear=function(P=!0,ee=!0,ue=!0){let le=0;if(P){let oe=!1;if(C!==null){const Te=C.texture.format;oe=Te===fd||Te===hd||Te===ud}if(oe){const Te=C.texture.type,De=Te===ss||Te===Sr||Te===od||Te===ao||Te===ld||Te===cd,Ue=Ae.getClearColor(),$e=Ae.getClearAlpha(),We=Ue.r,Ke=Ue.g,nt=Ue.b;De?(p[0]=We,p[1]=Ke,p[2]=nt,p[3]=$e,O.clearBufferuiv(O.COLOR,0,p)):(_[0]=We,_[1]=Ke,_[2]=nt,_[3]=$e,O.clearBufferiv(O.COLOR,0,_))}else le|=O.COLOR_BUFFER_BIT}ee&&(le|=O.DEPTH_BUFFER_BIT),ue&&(le|=O.STENCIL_BUFFER_BIT,this.state.buffers.stencil.setMask(4294967295)),O.clear(le)},this.clearColor=function(){this.clear(!0,!1,!1)},this.clearDepth=function(){this.clear(!1,!0,!1)},this.clearStencil=function(){this.clear(!1,!1,!0)},this.dispose=function(){t.removeEventListener("webglcontextlost",S,!1),t.removeEventListener("webglcontextrestored",Z,!1),t.removeEventListener("webglcontextcreationerror",re,!1),me.dispose(),Se.dispose(),Re.dispose(),ht.dispose(),z.dispose(),ge.dispose(),Ve.dispose(),qe.dispose(),Me.dispose(),Je.dispose(),Je.removeEventListener("sessionstart",lt),Je.removeEventListener("sessionend",Nt),ut.stop()};function S(P){P.preventDefault(),console.log("THREE.WebGLRenderer: Context Lost."),w=!0}function Z(){console.log("THREE.WebGLRenderer: Context Restored."),w=!1;const P=we.autoReset,ee=Ye.enabled,ue=Ye.autoUpdate,le=Ye.needsUpdate,oe=Ye.type;ft(),we.autoReset=P,Ye.enabled=ee,Ye.autoUpdate=ue,Ye.needsUpdate=le,Ye.type=oe}function re(P){console.error("THREE.WebGLRenderer: A WebGL context could not be created. Reason: ",P.statusMessage)}function ve(P){const ee=P.target;ee.removeEventListener("dispose",ve),Pe(ee)}function Pe(P){tt(P),Re.remove(P)}function tt(P){const ee=Re.get(P).programs;ee!==void 0&&(ee.forEach(function(ue){Me.releaseProgram(ue)}),P.isShaderMaterial&&Me.releaseShaderCache(P))}this.renderBufferDirect=function(P,ee,ue,le,oe,Te){ee===null&&(ee=K);const De=oe.isMesh&&oe.matrixWorld.determinant()<0,Ue=ho(P,ee,ue,le,oe);xe.setMaterial(le,De);let $e=ue.index,We=1;if(le.wireframe===!0){if($e=ae.getWireframeAttribute(ue),$e===void 0)return;We=2}const Ke=ue.drawRange,nt=ue.attributes.position;let Dt=Ke.start*We,Bt=(Ke.start+Ke.count)*We;Te!==null&&(Dt=Math.max(Dt,Te.start*We),Bt=Math.min(Bt,(Te.start+Te.count)*We)),$e!==null?(Dt=Math.max(Dt,0),Bt=Math.min(Bt,$e.count)):nt!=null&&(Dt=Math.max(Dt,0),Bt=Math.min(Bt,nt.count));const Vt=Bt-Dt;if(Vt<0||Vt===1/0)return;Ve.setup(oe,le,Ue,ue,$e);let In,ct=et;if($e!==null&&(In=R.get($e),ct=Be,ct.setIndex(In)),oe.isMesh)le.wireframe===!0?(xe.setLineWidth(le.wireframeLinewidth*X()),ct.setMode(O.LINES)):ct.setMode(O.TRIANGLES);else if(oe.isLine){let Ze=le.linewidth;Ze===void 0&&(Ze=1),xe.setLineWidth(Ze*X()),oe.isLineSegments?ct.setMode(O.LINES):oe.isLineLoop?ct.setMode(O.LINE_LOOP):ct.setMode(O.LINE_STRIP)}else oe.isPoints?ct.setMode(O.POINTS):oe.isSprite&&ct.setMode(O.TRIANGLES);if(oe.isBatchedMesh)oe._multiDrawInstances!==null?ct.renderMultiDrawInstances(oe._multiDrawStarts,oe._multiDrawCounts,oe._multiDrawCount,oe._multiDrawInstances):ct.renderMultiDraw(oe._multiDrawStarts,oe._multiDrawCounts,oe._multiDrawCount);else if(oe.isInstancedMesh)ct.renderInstances(Dt,Vt,oe.count);else if(ue.isInstancedBufferGeometry){const Ze=ue._maxInstanceCount!==void 0?ue._maxInstanceCount:1/0,wi=Math.min(ue.instanceCount,Ze);ct.renderInstances(Dt,Vt,wi)}else ct.render(Dt,Vt)};function it(P,ee,ue){P.transparent===!0&&P.side===ci&&P.forceSinglePass===!1?(P.side=Un,P.needsUpdate=!0,Qn(P,ee,ue),P.side=is,P.needsUpdate=!0,Qn(P,ee,ue),P.side=ci):Qn(P,ee,ue)}this.compile=function(P,ee,ue=null){ue===null&&(ue=P),m=Se.get(ue),m.init(ee),y.push(m),ue.traverseVisible(function(oe){oe.isLight&&oe.layers.test(ee.layers)&&(m.pushLight(oe),oe.castShadow&&m.pushShadow(oe))}),P!==ue&&P.traverseVisible(function(oe){oe.isLight&&oe.layers.test(ee.layers)&&(m.pushLight(oe),oe.castShadow&&m.pushShadow(oe))}),m.setupLights(M._useLegacyLights);const le=new Set;return P.traverse(function(oe){const Te=oe.material;if(Te)if(Array.isArray(Te))for(let De=0;De<Te.length;De++){const Ue=Te[De];it(Ue,ue,oe),le.add(Ue)}else it(Te,ue,oe),le.add(Te)}),y.pop(),m=null,le},this.compileAsync=function(P,ee,ue=null){const le=this.compile(P,ee,ue);return new Promise(oe=>{function Te(){if(le.forEach(function(De){Re.get(De).currentProgram.isReady()&&le.delete(De)}),le.size===0){oe(P);return}setTimeout(Te,10)}de.get("KHR_parallel_shader_compile")!==null?Te():setTimeout(Te,10)})};let bt=null;function Ht(P){bt&&bt(P)}function lt(){ut.stop()}function Nt(){ut.start()}const ut=new bd;ut.setAnimationLoop(Ht),typeof self<"u"&&ut.setContext(self),this.setAnimationLoop=function(P){bt=P,Je.setAnimationLoop(P),P===null?ut.stop():ut.start()},Je.addEventListener("sessionstart",lt),Je.addEventListener("sessionend",Nt),this.render=function(P,ee){if(ee!==void 0&&ee.isCamera!==!0){console.error("THREE.WebGLRenderer.render: camera is not an instance of THREE.Camera.");return}if(w===!0)return;P.matrixWorldAutoUpdate===!0&&P.updateMatrixWorld(),ee.parent===null&&ee.matrixWorldAutoUpdate===!0&&ee.updateMatrixWorld(),Je.enabled===!0&&Je.isPresenting===!0&&(Je.cameraAutoUpdate===!0&&Je.updateCamera(ee),ee=Je.getCamera()),P.isScene===!0&&P.onBeforeRender(M,P,ee,C),m=Se.get(P,y.length),m.init(ee),y.push(m),J.multiplyMatrices(ee.projectionMatrix,ee.matrixWorldInverse),B.setFromProjectionMatrix(J),W=this.localClippingEnabled,N=be.init(this.clippingPlanes,W),x=me.get(P,d.length),x.init(),d.push(x),wt(P,ee,0,M.sortObjects),x.finish(),M.sortObjects===!0&&x.sort(ne,fe);const ue=Je.enabled===!1||Je.isPresenting===!1||Je.hasDepthSensing()===!1;ue&&Ae.addToRenderList(x,P),this.info.render.frame++,N===!0&&be.beginShadows();const le=m.state.shadowsArray;Ye.render(le,P,ee),N===!0&&be.endShadows(),this.info.autoReset===!0&&this.info.reset();const oe=x.opaque,Te=x.transmissive;if(m.setupLights(M._useLegacyLights),ee.isArrayCamera){const De=ee.cameras;if(Te.length>0)for(let Ue=0,$e=De.length;Ue<$e;Ue++){const We=De[Ue];xn(oe,Te,P,We)}ue&&Ae.render(P);for(let Ue=0,$e=De.length;Ue<$e;Ue++){const We=De[Ue];It(x,P,We,We.viewport)}}else Te.length>0&&xn(oe,Te,P,ee),ue&&Ae.render(P),It(x,P,ee);C!==null&&(Ge.updateMultisampleRenderTarget(C),Ge.updateRenderTargetMipmap(C)),P.isScene===!0&&P.onAfterRender(M,P,ee),Ve.resetDefaultState(),U=-1,E=null,y.pop(),y.length>0?(m=y[y.length-1],N===!0&&be.setGlobalState(M.clippingPlanes,m.state.camera)):m=null,d.pop(),d.length>0?x=d[d.length-1]:x=null};function wt(P,ee,ue,le){if(P.visible===!1)return;if(P.layers.test(ee.layers)){if(P.isGroup)ue=P.renderOrder;else if(P.isLOD)P.autoUpdate===!0&&P.update(ee);else if(P.isLight)m.pushLight(P),P.castShadow&&m.pushShadow(P);else if(P.isSprite){if(!P.frustumCulled||B.intersectsSprite(P)){le&&Q.setFromMatrixPosition(P.matrixWorld).applyMatrix4(J);const De=ge.update(P),Ue=P.material;Ue.visible&&x.push(P,De,Ue,ue,Q.z,null)}}else if((P.isMesh||P.isLine||P.isPoints)&&(!P.frustumCulled||B.intersectsObject(P))){const De=ge.update(P),Ue=P.material;if(le&&(P.boundingSphere!==void 0?(P.boundingSphere===null&&P.computeBoundingSphere(),Q.copy(P.boundingSphere.center)):(De.boundingSphere===null&&De.computeBoundingSphere(),Q.copy(De.boundingSphere.center)),Q.applyMatrix4(P.matrixWorld).applyMatrix4(J)),Array.isArray(Ue)){const $e=De.groups;for(let We=0,Ke=$e.length;We<Ke;We++){const nt=$e[We],Dt=Ue[nt.materialIndex];Dt&&Dt.visible&&x.push(P,De,Dt,ue,Q.z,nt)}}else Ue.visible&&x.push(P,De,Ue,ue,Q.z,null)}}const Te=P.children;for(let De=0,Ue=Te.length;De<Ue;De++)wt(Te[De],ee,ue,le)}function It(P,ee,ue,le){const oe=P.opaque,Te=P.transmissive,De=P.transparent;m.setupLightsView(ue),N===!0&&be.setGlobalState(M.clippingPlanes,ue),le&&xe.viewport(v.copy(le)),oe.length>0&&dn(oe,ee,ue),Te.length>0&&dn(Te,ee,ue),De.length>0&&dn(De,ee,ue),xe.buffers.depth.setTest(!0),xe.buffers.depth.setMask(!0),xe.buffers.color.setMask(!0),xe.setPolygonOffset(!1)}function xn(P,ee,ue,le){if((ue.isScene===!0?ue.overrideMaterial:null)!==null)return;m.state.transmissionRenderTarget[le.id]===void 0&&(m.state.transmissionRenderTarget[le.id]=new As(1,1,{generateMipmaps:!0,type:de.has("EXT_color_buffer_half_float")||de.has("EXT_color_buffer_float")?pa:ss,minFilter:bs,samples:4,stencilBuffer:r,resolveDepthBuffer:!1,resolveStencilBuffer:!1}));const Te=m.state.transmissionRenderTarget[le.id],De=le.viewport||v;Te.setSize(De.z,De.w);const Ue=M.getRenderTarget();M.setRenderTarget(Te),M.getClearColor(L),j=M.getClearAlpha(),j<1&&M.setClearColor(16777215,.5),M.clear();const $e=M.toneMapping;M.toneMapping=ns;const We=le.viewport;if(le.viewport!==void 0&&(le.viewport=void 0),m.setupLightsView(le),N===!0&&be.setGlobalState(M.clippingPlanes,le),dn(P,ue,le),Ge.updateMultisampleRenderTarget(Te),Ge.updateRenderTargetMipmap(Te),de.has("WEBGL_multisampled_render_to_texture")===!1){let Ke=!1;for(let nt=0,Dt=ee.length;nt<Dt;nt++){const Bt=ee[nt],Vt=Bt.object,In=Bt.geometry,ct=Bt.material,Ze=Bt.group;if(ct.side===ci&&Vt.layers.test(le.layers)){const wi=ct.side;ct.side=Un,ct.needsUpdate=!0,tn(Vt,ue,le,In,ct,Ze),ct.side=wi,ct.needsUpdate=!0,Ke=!0}}Ke===!0&&(Ge.updateMultisampleRenderTarget(Te),Ge.updateRenderTargetMipmap(Te))}M.setRenderTarget(Ue),M.setClearColor(L,j),We!==void 0&&(le.viewport=We),M.toneMapping=$e}function dn(P,ee,ue){const le=ee.isScene===!0?ee.overrideMaterial:null;for(let oe=0,Te=P.length;oe<Te;oe++){const De=P[oe],Ue=De.object,$e=De.geometry,We=le===null?De.material:le,Ke=De.group;Ue.layers.test(ue.layers)&&tn(Ue,ee,ue,$e,We,Ke)}}function tn(P,ee,ue,le,oe,Te){P.onBeforeRender(M,ee,ue,le,oe,Te),P.modelViewMatrix.multiplyMatrices(ue.matrixWorldInverse,P.matrixWorld),P.normalMatrix.getNormalMatrix(P.modelViewMatrix),oe.onBeforeRender(M,ee,ue,le,P,Te),oe.transparent===!0&&oe.side===ci&&oe.forceSinglePass===!1?(oe.side=Un,oe.needsUpdate=!0,M.renderBufferDirect(ue,ee,le,oe,P,Te),oe.side=is,oe.needsUpdate=!0,M.renderBufferDirect(ue,ee,le,oe,P,Te),oe.side=ci):M.renderBufferDirect(ue,ee,le,oe,P,Te),P.onAfterRender(M,ee,ue,le,oe,Te)}function Qn(P,ee,ue){ee.isScene!==!0&&(ee=K);const le=Re.get(P),oe=m.state.lights,Te=m.state.shadowsArray,De=oe.state.version,Ue=Me.getParameters(P,oe.state,Te,ee,ue),$e=Me.getProgramCacheKey(Ue);let We=le.programs;le.environment=P.isMeshStandardMaterial?ee.environment:null,le.fog=ee.fog,le.envMap=(P.isMeshStandardMaterial?z:ht).get(P.envMap||le.environment),le.envMapRotation=le.environment!==null&&P.envMap===null?ee.environmentRotation:P.envMapRotation,We===void 0&&(P.addEventListener("dispose",ve),We=new Map,le.programs=We);let Ke=We.get($e);if(Ke!==void 0){if(le.currentProgram===Ke&&le.lightsStateVersion===De)return Lr(P,Ue),Ke}else Ue.uniforms=Me.getUniforms(P),P.onBuild(ue,Ue,M),P.onBeforeCompile(Ue,M),Ke=Me.acquireProgram(Ue,$e),We.set($e,Ke),le.uniforms=Ue.uniforms;const nt=le.uniforms;return(!P.isShaderMaterial&&!P.isRawShaderMaterial||P.clipping===!0)&&(nt.clippingPlanes=be.uniform),Lr(P,Ue),le.needsLights=Ca(P),le.lightsStateVersion=De,le.needsLights&&(nt.ambientLightColor.value=oe.state.ambient,nt.lightProbe.value=oe.state.probe,nt.directionalLights.value=oe.state.directional,nt.directionalLightShadows.value=oe.state.directionalShadow,nt.spotLights.value=oe.state.spot,nt.spotLightShadows.value=oe.state.spotShadow,nt.rectAreaLights.value=oe.state.rectArea,nt.ltc_1.value=oe.state.rectAreaLTC1,nt.ltc_2.value=oe.state.rectAreaLTC2,nt.pointLights.value=oe.state.point,nt.pointLightShadows.value=oe.state.pointShadow,nt.hemisphereLights.value=oe.state.hemi,nt.directionalShadowMap.value=oe.state.directionalShadowMap,nt.directionalShadowMatrix.value=oe.state.directionalShadowMatrix,nt.spotShadowMap.value=oe.state.spotShadowMap,nt.spotLightMatrix.value=oe.state.spotLightMatrix,nt.spotLightMap.value=oe.state.spotLightMap,nt.pointShadowMap.value=oe.state.pointShadowMap,nt.pointShadowMatrix.value=oe.state.pointShadowMatrix),le.currentProgram=Ke,le.uniformsList=null,Ke}function bi(P){if(P.uniformsList===null){const ee=P.currentProgram.getUniforms();P.uniformsList=Ko.seqWithValue(ee.seq,P.uniforms)}return P.uniformsList}function Lr(P,ee){const ue=Re.get(P);ue.outputColorSpace=ee.outputColorSpace,ue.batching=ee.batching,ue.instancing=ee.instancing,ue.instancingColor=ee.instancingColor,ue.instancingMorph=ee.instancingMorph,ue.skinning=ee.skinning,ue.morphTargets=ee.morphTargets,ue.morphNormals=ee.morphNormals,ue.morphColors=ee.morphColors,ue.morphTargetsCount=ee.morphTargetsCount,ue.numClippingPlanes=ee.numClippingPlanes,ue.numIntersection=ee.numClipIntersection,ue.vertexAlphas=ee.vertexAlphas,ue.vertexTangents=ee.vertexTangents,ue.toneMapping=ee.toneMapping}function ho(P,ee,ue,le,oe){ee.isScene!==!0&&(ee=K),Ge.resetTextureUnits();const Te=ee.fog,De=le.isMeshStandardMaterial?ee.environment:null,Ue=C===null?M.outputColorSpace:C.isXRRenderTarget===!0?C.texture.colorSpace:ki,$e=(le.isMeshStandardMaterial?z:ht).get(le.envMap||De),We=le.vertexColors===!0&&!!ue.attributes.color&&ue.attributes.color.itemSize===4,Ke=!!ue.attributes.tangent&&(!!le.normalMap||le.anisotropy>0),nt=!!ue.morphAttributes.position,Dt=!!ue.morphAttributes.normal,Bt=!!ue.morphAttributes.color;let Vt=ns;le.toneMapped&&(C===null||C.isXRRenderTarget===!0)&&(Vt=M.toneMapping);const In=ue.morphAttributes.position||ue.morphAttributes.normal||ue.morphAttributes.color,ct=In!==void 0?In.length:0,Ze=Re.get(le),wi=m.state.lights;if(N===!0&&(W===!0||P!==E)){const Rn=P===E&&le.id===U;be.setState(le,P,Rn)}let xt=!1;le.version===Ze.__version?(Ze.needsLights&&Ze.lightsStateVersion!==wi.state.version||Ze.outputColorSpace!==Ue||oe.isBatchedMesh&&Ze.batching===!1||!oe.isBatchedMesh&&Ze.batching===!0||oe.isInstancedMesh&&Ze.instancing===!1||!oe.isInstancedMesh&&Ze.instancing===!0||oe.isSkinnedMesh&&Ze.skinning===!1||!oe.isSkinnedMesh&&Ze.skinning===!0||oe.isInstancedMesh&&Ze.instancingColor===!0&&oe.instanceColor===null||oe.isInstancedMesh&&Ze.instancingColor===!1&&oe.instanceColor!==null||oe.isInstancedMesh&&Ze.instancingMorph===!0&&oe.morphTexture===null||oe.isInstancedMesh&&Ze.instancingMorph===!1&&oe.morphTexture!==null||Ze.envMap!==$e||le.fog===!0&&Ze.fog!==Te||Ze.numClippingPlanes!==void 0&&(Ze.numClippingPlanes!==be.numPlanes||Ze.numIntersection!==be.numIntersection)||Ze.vertexAlphas!==We||Ze.vertexTangents!==Ke||Ze.morphTargets!==nt||Ze.morphNormals!==Dt||Ze.morphColors!==Bt||Ze.toneMapping!==Vt||Ze.morphTargetsCount!==ct)&&(xt=!0):(xt=!0,Ze.__version=le.version);let ei=Ze.currentProgram;xt===!0&&(ei=Qn(le,ee,oe));let Ds=!1,Gt=!1,Us=!1;const Yt=ei.getUniforms(),$n=Ze.uniforms;if(xe.useProgram(ei.program)&&(Ds=!0,Gt=!0,Us=!0),le.id!==U&&(U=le.id,Gt=!0),Ds||E!==P){Yt.setValue(O,"projectionMatrix",P.projectionMatrix),Yt.setValue(O,"viewMatrix",P.matrixWorldInverse);const Rn=Yt.map.cameraPosition;Rn!==void 0&&Rn.setValue(O,Q.setFromMatrixPosition(P.matrixWorld)),Ee.logarithmicDepthBuffer&&Yt.setValue(O,"logDepthBufFC",2/(Math.log(P.far+1)/Math.LN2)),(le.isMeshPhongMaterial||le.isMeshToonMaterial||le.isMeshLambertMaterial||le.isMeshBasicMaterial||le.isMeshStandardMaterial||le.isShaderMaterial)&&Yt.setValue(O,"isOrthographic",P.isOrthographicCamera===!0),E!==P&&(E=P,Gt=!0,Us=!0)}if(oe.isSkinnedMesh){Yt.setOptional(O,oe,"bindMatrix"),Yt.setOptional(O,oe,"bindMatrixInverse");const Rn=oe.skeleton;Rn&&(Rn.boneTexture===null&&Rn.computeBoneTexture(),Yt.setValue(O,"boneTexture",Rn.boneTexture,Ge))}oe.isBatchedMesh&&(Yt.setOptional(O,oe,"batchingTexture"),Yt.setValue(O,"batchingTexture",oe._matricesTexture,Ge));const Is=ue.morphAttributes;if((Is.position!==void 0||Is.normal!==void 0||Is.color!==void 0)&&ke.update(oe,ue,ei),(Gt||Ze.receiveShadow!==oe.receiveShadow)&&(Ze.receiveShadow=oe.receiveShadow,Yt.setValue(O,"receiveShadow",oe.receiveShadow)),le.isMeshGouraudMaterial&&le.envMap!==null&&($n.envMap.value=$e,$n.flipEnvMap.value=$e.isCubeTexture&&$e.isRenderTargetTexture===!1?-1:1),le.isMeshStandardMaterial&&le.envMap===null&&ee.environment!==null&&($n.envMapIntensity.value=ee.environmentIntensity),Gt&&(Yt.setValue(O,"toneMappingExposure",M.toneMappingExposure),Ze.needsLights&&Ra($n,Us),Te&&le.fog===!0&&he.refreshFogUniforms($n,Te),he.refreshMaterialUniforms($n,le,ie,te,m.state.transmissionRenderTarget[P.id]),Ko.upload(O,bi(Ze),$n,Ge)),le.isShaderMaterial&&le.uniformsNeedUpdate===!0&&(Ko.upload(O,bi(Ze),$n,Ge),le.uniformsNeedUpdate=!1),le.isSpriteMaterial&&Yt.setValue(O,"center",oe.center),Yt.setValue(O,"modelViewMatrix",oe.modelViewMatrix),Yt.setValue(O,"normalMatrix",oe.normalMatrix),Yt.setValue(O,"modelMatrix",oe.matrixWorld),le.isShaderMaterial||le.isRawShaderMaterial){const Rn=le.uniformsGroups;for(let Dr=0,Pa=Rn.length;Dr<Pa;Dr++){const Ur=Rn[Dr];qe.update(Ur,ei),qe.bind(Ur,ei)}}return ei}function Ra(P,ee){P.ambientLightColor.needsUpdate=ee,P.lightProbe.needsUpdate=ee,P.directionalLights.needsUpdate=ee,P.directionalLightShadows.needsUpdate=ee,P.pointLights.needsUpdate=ee,P.pointLightShadows.needsUpdate=ee,P.spotLights.needsUpdate=ee,P.spotLightShadows.needsUpdate=ee,P.rectAreaLights.needsUpdate=ee,P.hemisphereLights.needsUpdate=ee}function Ca(P){return P.isMeshLambertMaterial||P.isMeshToonMaterial||P.isMeshPhongMaterial||P.isMeshStandardMaterial||P.isShadowMaterial||P.isShaderMaterial&&P.lights===!0}this.getActiveCubeFace=function(){return V},this.getActiveMipmapLevel=function(){return T},this.getRenderTarget=function(){return C},this.setRenderTargetTextures=function(P,ee,ue){Re.get(P.texture).__webglTexture=ee,Re.get(P.depthTexture).__webglTexture=ue;const le=Re.get(P);le.__hasExternalTextures=!0,le.__autoAllocateDepthBuffer=ue===void 0,le.__autoAllocateDepthBuffer||de.has("WEBGL_multisampled_render_to_texture")===!0&&(console.warn("THREE.WebGLRenderer: Render-to-texture extension was disabled because an external texture was provided"),le.__useRenderToTexture=!1)},this.setRenderTargetFramebuffer=function(P,ee){const ue=Re.get(P);ue.__webglFramebuffer=ee,ue.__useDefaultFramebuffer=ee===void 0},this.setRenderTarget=function(P,ee=0,ue=0){C=P,V=ee,T=ue;let le=!0,oe=null,Te=!1,De=!1;if(P){const $e=Re.get(P);$e.__useDefaultFramebuffer!==void 0?(xe.bindFramebuffer(O.FRAMEBUFFER,null),le=!1):$e.__webglFramebuffer===void 0?Ge.setupRenderTarget(P):$e.__hasExternalTextures&&Ge.rebindTextures(P,Re.get(P.texture).__webglTexture,Re.get(P.depthTexture).__webglTexture);const We=P.texture;(We.isData3DTexture||We.isDataArrayTexture||We.isCompressedArrayTexture)&&(De=!0);const Ke=Re.get(P).__webglFramebuffer;P.isWebGLCubeRenderTarget?(Array.isArray(Ke[ee])?oe=Ke[ee][ue]:oe=Ke[ee],Te=!0):P.samples>0&&Ge.useMultisampledRTT(P)===!1?oe=Re.get(P).__webglMultisampledFramebuffer:Array.isArray(Ke)?oe=Ke[ue]:oe=Ke,v.copy(P.viewport),D.copy(P.scissor),H=P.scissorTest}else v.copy(G).multiplyScalar(ie).floor(),D.copy(ce).multiplyScalar(ie).floor(),H=F;if(xe.bindFramebuffer(O.FRAMEBUFFER,oe)&&le&&xe.drawBuffers(P,oe),xe.viewport(v),xe.scissor(D),xe.setScissorTest(H),Te){const $e=Re.get(P.texture);O.framebufferTexture2D(O.FRAMEBUFFER,O.COLOR_ATTACHMENT0,O.TEXTURE_CUBE_MAP_POSITIVE_X+ee,$e.__webglTexture,ue)}else if(De){const $e=Re.get(P.texture),We=ee||0;O.framebufferTextureLayer(O.FRAMEBUFFER,O.COLOR_ATTACHMENT0,$e.__webglTexture,ue||0,We)}U=-1},this.readRenderTargetPixels=function(P,ee,ue,le,oe,Te,De){if(!(P&&P.isWebGLRenderTarget)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");return}let Ue=Re.get(P).__webglFramebuffer;if(P.isWebGLCubeRenderTarget&&De!==void 0&&(Ue=Ue[De]),Ue){xe.bindFramebuffer(O.FRAMEBUFFER,Ue);try{const $e=P.texture,We=$e.format,Ke=$e.type;if(!Ee.textureFormatReadable(We)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not in RGBA or implementation defined format.");return}if(!Ee.textureTypeReadable(Ke)){console.error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not in UnsignedByteType or implementation defined type.");return}ee>=0&&ee<=P.width-le&&ue>=0&&ue<=P.height-oe&&O.readPixels(ee,ue,le,oe,Le.convert(We),Le.convert(Ke),Te)}finally{const $e=C!==null?Re.get(C).__webglFramebuffer:null;xe.bindFramebuffer(O.FRAMEBUFFER,$e)}}},this.copyFramebufferToTexture=function(P,ee,ue=0){const le=Math.pow(2,-ue),oe=Math.floor(ee.image.width*le),Te=Math.floor(ee.image.height*le);Ge.setTexture2D(ee,0),O.copyTexSubImage2D(O.TEXTURE_2D,ue,0,0,P.x,P.y,oe,Te),xe.unbindTexture()},this.copyTextureToTexture=function(P,ee,ue,le=0){const oe=ee.image.width,Te=ee.image.height,De=Le.convert(ue.format),Ue=Le.convert(ue.type);Ge.setTexture2D(ue,0),O.pixelStorei(O.UNPACK_FLIP_Y_WEBGL,ue.flipY),O.pixelStorei(O.UNPACK_PREMULTIPLY_ALPHA_WEBGL,ue.premultiplyAlpha),O.pixelStorei(O.UNPACK_ALIGNMENT,ue.unpackAlignment),ee.isDataTexture?O.texSubImage2D(O.TEXTURE_2D,le,P.x,P.y,oe,Te,De,Ue,ee.image.data):ee.isCompressedTexture?O.compressedTexSubImage2D(O.TEXTURE_2D,le,P.x,P.y,ee.mipmaps[0].width,ee.mipmaps[0].height,De,ee.mipmaps[0].data):O.texSubImage2D(O.TEXTURE_2D,le,P.x,P.y,De,Ue,ee.image),le===0&&ue.generateMipmaps&&O.generateMipmap(O.TEXTURE_2D),xe.unbindTexture()},this.copyTextureToTexture3D=function(P,ee,ue,le,oe=0){const Te=P.max.x-P.min.x,De=P.max.y-P.min.y,Ue=P.max.z-P.min.z,$e=Le.convert(le.format),We=Le.convert(le.type);let Ke;if(le.isData3DTexture)Ge.setTexture3D(le,0),Ke=O.TEXTURE_3D;else if(le.isDataArrayTexture||le.isCompressedArrayTexture)Ge.setTexture2DArray(le,0),Ke=O.TEXTURE_2D_ARRAY;else{console.warn("THREE.WebGLRenderer.copyTextureToTexture3D: only supports THREE.DataTexture3D and THREE.DataTexture2DArray.");return}O.pixelStorei(O.UNPACK_FLIP_Y_WEBGL,le.flipY),O.pixelStorei(O.UNPACK_PREMULTIPLY_ALPHA_WEBGL,le.premultiplyAlpha),O.pixelStorei(O.UNPACK_ALIGNMENT,le.unpackAlignment);const nt=O.getParameter(O.UNPACK_ROW_LENGTH),Dt=O.getParameter(O.UNPACK_IMAGE_HEIGHT),Bt=O.getParameter(O.UNPACK_SKIP_PIXELS),Vt=O.getParameter(O.UNPACK_SKIP_ROWS),In=O.getParameter(O.UNPACK_SKIP_IMAGES),ct=ue.isCompressedTexture?ue.mipmaps[oe]:ue.image;O.pixelStorei(O.UNPACK_ROW_LENGTH,ct.width),O.pixelStorei(O.UNPACK_IMAGE_HEIGHT,ct.height),O.pixelStorei(O.UNPACK_SKIP_PIXELS,P.min.x),O.pixelStorei(O.UNPACK_SKIP_ROWS,P.min.y),O.pixelStorei(O.UNPACK_SKIP_IMAGES,P.min.z),ue.isDataTexture||ue.isData3DTexture?O.texSubImage3D(Ke,oe,ee.x,ee.y,ee.z,Te,De,Ue,$e,We,ct.data):le.isCompressedArrayTexture?O.compressedTexSubImage3D(Ke,oe,ee.x,ee.y,ee.z,Te,De,Ue,$e,ct.data):O.texSubImage3D(Ke,oe,ee.x,ee.y,ee.z,Te,De,Ue,$e,We,ct),O.pixelStorei(O.UNPACK_ROW_LENGTH,nt),O.pixelStorei(O.UNPACK_IMAGE_HEIGHT,Dt),O.pixelStorei(O.UNPACK_SKIP_PIXELS,Bt),O.pixelStorei(O.UNPACK_SKIP_ROWS,Vt),O.pixelStorei(O.UNPACK_SKIP_IMAGES,In),oe===0&&le.generateMipmaps&&O.generateMipmap(Ke),xe.unbindTexture()},this.initTexture=function(P){P.isCubeTexture?Ge.setTextureCube(P,0):P.isData3DTexture?Ge.setTexture3D(P,0):P.isDataArrayTexture||P.isCompressedArrayTexture?Ge.setTexture2DArray(P,0):Ge.setTexture2D(P,0),xe.unbindTexture()},this.resetState=function(){V=0,T=0,C=null,xe.reset(),Ve.reset()},typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}get coordinateSystem(){return Ii}get outputColorSpace(){return this._outputColorSpace}set outputColorSpace(e){this._outputColorSpace=e;const t=this.getContext();t.drawingBufferColorSpace=e===mc?"display-p3":"srgb",t.unpackColorSpace=vt.workingColorSpace===ma?"display-p3":"srgb"}get useLegacyLights(){return console.warn("THREE.WebGLRenderer: The property .useLegacyLights has been deprecated. Migrate your lighting according to the following guide: https://discourse.threejs.org/t/updates-to-lighting-in-three-js-r155/53733."),this._useLegacyLights}set useLegacyLights(e){console.warn("THREE.WebGLRenderer: The property .useLegacyLights has been deprecated. Migrate your lighting according to the following guide: https://discourse.threejs.org/t/updates-to-lighting-in-three-js-r155/53733."),this._useLegacyLights=e}}class EM extends Hn{constructor(){super(),this.isScene=!0,this.type="Scene",this.background=null,this.environment=null,this.fog=null,this.backgroundBlurriness=0,this.backgroundIntensity=1,this.backgroundRotation=new Fi,this.environmentIntensity=1,this.environmentRotation=new Fi,this.overrideMaterial=null,typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}copy(e,t){return super.copy(e,t),e.background!==null&&(this.background=e.background.clone()),e.environment!==null&&(this.environment=e.environment.clone()),e.fog!==null&&(this.fog=e.fog.clone()),this.backgroundBlurriness=e.backgroundBlurriness,this.backgroundIntensity=e.backgroundIntensity,this.backgroundRotation.copy(e.backgroundRotation),this.environmentIntensity=e.environmentIntensity,this.environmentRotation.copy(e.environmentRotation),e.overrideMaterial!==null&&(this.overrideMaterial=e.overrideMaterial.clone()),this.matrixAutoUpdate=e.matrixAutoUpdate,this}toJSON(e){const t=super.toJSON(e);return this.fog!==null&&(t.object.fog=this.fog.toJSON()),this.backgroundBlurriness>0&&(t.object.backgroundBlurriness=this.backgroundBlurriness),this.backgroundIntensity!==1&&(t.object.backgroundIntensity=this.backgroundIntensity),t.object.backgroundRotation=this.backgroundRotation.toArray(),this.environmentIntensity!==1&&(t.object.environmentIntensity=this.environmentIntensity),t.object.environmentRotation=this.environmentRotation.toArray(),t}}class bM extends Tn{constructor(e=null,t=1,n=1,s,r,o,a,l,c=Ln,u=Ln,h,f){super(null,o,a,l,c,u,s,r,h,f),this.isDataTexture=!0,this.image={data:e,width:t,height:n},this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}}class El extends An{constructor(e,t,n,s=1){super(e,t,n),this.isInstancedBufferAttribute=!0,this.meshPerAttribute=s}copy(e){return super.copy(e),this.meshPerAttribute=e.meshPerAttribute,this}toJSON(){const e=super.toJSON();return e.meshPerAttribute=this.meshPerAttribute,e.isInstancedBufferAttribute=!0,e}}class Bi{constructor(){this.type="Curve",this.arcLengthDivisions=200}getPoint(){return console.warn("THREE.Curve: .getPoint() not implemented."),null}getPointAt(e,t){const n=this.getUtoTmapping(e);return this.getPoint(n,t)}getPoints(e=5){const t=[];for(let n=0;n<=e;n++)t.push(this.getPoint(n/e));return t}getSpacedPoints(e=5){const t=[];for(let n=0;n<=e;n++)t.push(this.getPointAt(n/e));return t}getLength(){const e=this.getLengths();return e[e.length-1]}getLengths(e=this.arcLengthDivisions){if(this.cacheArcLengths&&this.cacheArcLengths.length===e+1&&!this.needsUpdate)return this.cacheArcLengths;this.needsUpdate=!1;const t=[];let n,s=this.getPoint(0),r=0;t.push(0);for(let o=1;o<=e;o++)n=this.getPoint(o/e),r+=n.distanceTo(s),t.push(r),s=n;return this.cacheArcLengths=t,t}updateArcLengths(){this.needsUpdate=!0,this.getLengths()}getUtoTmapping(e,t){const n=this.getLengths();let s=0;const r=n.length;let o;t?o=t:o=e*n[r-1];let a=0,l=r-1,c;for(;a<=l;)if(s=Math.floor(a+(l-a)/2),c=n[s]-o,c<0)a=s+1;else if(c>0)l=s-1;else{l=s;break}if(s=l,n[s]===o)return s/(r-1);const u=n[s],f=n[s+1]-u,p=(o-u)/f;return(s+p)/(r-1)}getTangent(e,t){let s=e-1e-4,r=e+1e-4;s<0&&(s=0),r>1&&(r=1);const o=this.getPoint(s),a=this.getPoint(r),l=t||(o.isVector2?new ze:new Y);return l.copy(a).sub(o).normalize(),l}getTangentAt(e,t){const n=this.getUtoTmapping(e);return this.getTangent(n,t)}computeFrenetFrames(e,t){const n=new Y,s=[],r=[],o=[],a=new Y,l=new zt;for(let p=0;p<=e;p++){const _=p/e;s[p]=this.getTangentAt(_,new Y)}r[0]=new Y,o[0]=new Y;let c=Number.MAX_VALUE;const u=Math.abs(s[0].x),h=Math.abs(s[0].y),f=Math.abs(s[0].z);u<=c&&(c=u,n.set(1,0,0)),h<=c&&(c=h,n.set(0,1,0)),f<=c&&n.set(0,0,1),a.crossVectors(s[0],n).normalize(),r[0].crossVectors(s[0],a),o[0].crossVectors(s[0],r[0]);for(let p=1;p<=e;p++){if(r[p]=r[p-1].clone(),o[p]=o[p-1].clone(),a.crossVectors(s[p-1],s[p]),a.length()>Number.EPSILON){a.normalize();const _=Math.acos(hn(s[p-1].dot(s[p]),-1,1));r[p].applyMatrix4(l.makeRotationAxis(a,_))}o[p].crossVectors(s[p],r[p])}if(t===!0){let p=Math.acos(hn(r[0].dot(r[e]),-1,1));p/=e,s[0].dot(a.crossVectors(r[0],r[e]))>0&&(p=-p);for(let _=1;_<=e;_++)r[_].applyMatrix4(l.makeRotationAxis(s[_],p*_)),o[_].crossVectors(s[_],r[_])}return{tangents:s,normals:r,binormals:o}}clone(){return new this.constructor().copy(this)}copy(e){return this.arcLengthDivisions=e.arcLengthDivisions,this}toJSON(){const e={metadata:{version:4.6,type:"Curve",generator:"Curve.toJSON"}};return e.arcLengthDivisions=this.arcLengthDivisions,e.type=this.type,e}fromJSON(e){return this.arcLengthDivisions=e.arcLengthDivisions,this}}class Ld extends Bi{constructor(e=0,t=0,n=1,s=1,r=0,o=Math.PI*2,a=!1,l=0){super(),this.isEllipseCurve=!0,this.type="EllipseCurve",this.aX=e,this.aY=t,this.xRadius=n,this.yRadius=s,this.aStartAngle=r,this.aEndAngle=o,this.aClockwise=a,this.aRotation=l}getPoint(e,t=new ze){const n=t,s=Math.PI*2;let r=this.aEndAngle-this.aStartAngle;const o=Math.abs(r)<Number.EPSILON;for(;r<0;)r+=s;for(;r>s;)r-=s;r<Number.EPSILON&&(o?r=0:r=s),this.aClockwise===!0&&!o&&(r===s?r=-s:r=r-s);const a=this.aStartAngle+e*r;let l=this.aX+this.xRadius*Math.cos(a),c=this.aY+this.yRadius*Math.sin(a);if(this.aRotation!==0){const u=Math.cos(this.aRotation),h=Math.sin(this.aRotation),f=l-this.aX,p=c-this.aY;l=f*u-p*h+this.aX,c=f*h+p*u+this.aY}return n.set(l,c)}copy(e){return super.copy(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}toJSON(){const e=super.toJSON();return e.aX=this.aX,e.aY=this.aY,e.xRadius=this.xRadius,e.yRadius=this.yRadius,e.aStartAngle=this.aStartAngle,e.aEndAngle=this.aEndAngle,e.aClockwise=this.aClockwise,e.aRotation=this.aRotation,e}fromJSON(e){return super.fromJSON(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}}class wM extends Ld{constructor(e,t,n,s,r,o){super(e,t,n,n,s,r,o),this.isArcCurve=!0,this.type="ArcCurve"}}function Mc(){let i=0,e=0,t=0,n=0;function s(r,o,a,l){i=r,e=a,t=-3*r+3*o-2*a-l,n=2*r-2*o+a+l}return{initCatmullRom:function(r,o,a,l,c){s(o,a,c*(a-r),c*(l-o))},initNonuniformCatmullRom:function(r,o,a,l,c,u,h){let f=(o-r)/c-(a-r)/(c+u)+(a-o)/u,p=(a-o)/u-(l-o)/(u+h)+(l-a)/h;f*=u,p*=u,s(o,a,f,p)},calc:function(r){const o=r*r,a=o*r;return i+e*r+t*o+n*a}}}const Ho=new Y,bl=new Mc,wl=new Mc,Tl=new Mc;class TM extends Bi{constructor(e=[],t=!1,n="centripetal",s=.5){super(),this.isCatmullRomCurve3=!0,this.type="CatmullRomCurve3",this.points=e,this.closed=t,this.curveType=n,this.tension=s}getPoint(e,t=new Y){const n=t,s=this.points,r=s.length,o=(r-(this.closed?0:1))*e;let a=Math.floor(o),l=o-a;this.closed?a+=a>0?0:(Math.floor(Math.abs(a)/r)+1)*r:l===0&&a===r-1&&(a=r-2,l=1);let c,u;this.closed||a>0?c=s[(a-1)%r]:(Ho.subVectors(s[0],s[1]).add(s[0]),c=Ho);const h=s[a%r],f=s[(a+1)%r];if(this.closed||a+2<r?u=s[(a+2)%r]:(Ho.subVectors(s[r-1],s[r-2]).add(s[r-1]),u=Ho),this.curveType==="centripetal"||this.curveType==="chordal"){const p=this.curveType==="chordal"?.5:.25;let _=Math.pow(c.distanceToSquared(h),p),x=Math.pow(h.distanceToSquared(f),p),m=Math.pow(f.distanceToSquared(u),p);x<1e-4&&(x=1),_<1e-4&&(_=x),m<1e-4&&(m=x),bl.initNonuniformCatmullRom(c.x,h.x,f.x,u.x,_,x,m),wl.initNonuniformCatmullRom(c.y,h.y,f.y,u.y,_,x,m),Tl.initNonuniformCatmullRom(c.z,h.z,f.z,u.z,_,x,m)}else this.curveType==="catmullrom"&&(bl.initCatmullRom(c.x,h.x,f.x,u.x,this.tension),wl.initCatmullRom(c.y,h.y,f.y,u.y,this.tension),Tl.initCatmullRom(c.z,h.z,f.z,u.z,this.tension));return n.set(bl.calc(l),wl.calc(l),Tl.calc(l)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(s.clone())}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}toJSON(){const e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){const s=this.points[t];e.points.push(s.toArray())}return e.closed=this.closed,e.curveType=this.curveType,e.tension=this.tension,e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(new Y().fromArray(s))}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}}function Dh(i,e,t,n,s){const r=(n-e)*.5,o=(s-t)*.5,a=i*i,l=i*a;return(2*t-2*n+r+o)*l+(-3*t+3*n-2*r-o)*a+r*i+t}function AM(i,e){const t=1-i;return t*t*e}function RM(i,e){return 2*(1-i)*i*e}function CM(i,e){return i*i*e}function Kr(i,e,t,n){return AM(i,e)+RM(i,t)+CM(i,n)}function PM(i,e){const t=1-i;return t*t*t*e}function LM(i,e){const t=1-i;return 3*t*t*i*e}function DM(i,e){return 3*(1-i)*i*i*e}function UM(i,e){return i*i*i*e}function Zr(i,e,t,n,s){return PM(i,e)+LM(i,t)+DM(i,n)+UM(i,s)}class IM extends Bi{constructor(e=new ze,t=new ze,n=new ze,s=new ze){super(),this.isCubicBezierCurve=!0,this.type="CubicBezierCurve",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new ze){const n=t,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(Zr(e,s.x,r.x,o.x,a.x),Zr(e,s.y,r.y,o.y,a.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}}class NM extends Bi{constructor(e=new Y,t=new Y,n=new Y,s=new Y){super(),this.isCubicBezierCurve3=!0,this.type="CubicBezierCurve3",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new Y){const n=t,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(Zr(e,s.x,r.x,o.x,a.x),Zr(e,s.y,r.y,o.y,a.y),Zr(e,s.z,r.z,o.z,a.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}}class OM extends Bi{constructor(e=new ze,t=new ze){super(),this.isLineCurve=!0,this.type="LineCurve",this.v1=e,this.v2=t}getPoint(e,t=new ze){const n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new ze){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class FM extends Bi{constructor(e=new Y,t=new Y){super(),this.isLineCurve3=!0,this.type="LineCurve3",this.v1=e,this.v2=t}getPoint(e,t=new Y){const n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new Y){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class kM extends Bi{constructor(e=new ze,t=new ze,n=new ze){super(),this.isQuadraticBezierCurve=!0,this.type="QuadraticBezierCurve",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new ze){const n=t,s=this.v0,r=this.v1,o=this.v2;return n.set(Kr(e,s.x,r.x,o.x),Kr(e,s.y,r.y,o.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class Sc extends Bi{constructor(e=new Y,t=new Y,n=new Y){super(),this.isQuadraticBezierCurve3=!0,this.type="QuadraticBezierCurve3",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new Y){const n=t,s=this.v0,r=this.v1,o=this.v2;return n.set(Kr(e,s.x,r.x,o.x),Kr(e,s.y,r.y,o.y),Kr(e,s.z,r.z,o.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){const e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}}class BM extends Bi{constructor(e=[]){super(),this.isSplineCurve=!0,this.type="SplineCurve",this.points=e}getPoint(e,t=new ze){const n=t,s=this.points,r=(s.length-1)*e,o=Math.floor(r),a=r-o,l=s[o===0?o:o-1],c=s[o],u=s[o>s.length-2?s.length-1:o+1],h=s[o>s.length-3?s.length-1:o+2];return n.set(Dh(a,l.x,c.x,u.x,h.x),Dh(a,l.y,c.y,u.y,h.y)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(s.clone())}return this}toJSON(){const e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){const s=this.points[t];e.points.push(s.toArray())}return e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){const s=e.points[t];this.points.push(new ze().fromArray(s))}return this}}var zM=Object.freeze({__proto__:null,ArcCurve:wM,CatmullRomCurve3:TM,CubicBezierCurve:IM,CubicBezierCurve3:NM,EllipseCurve:Ld,LineCurve:OM,LineCurve3:FM,QuadraticBezierCurve:kM,QuadraticBezierCurve3:Sc,SplineCurve:BM});class xa extends di{constructor(e=1,t=1,n=1,s=32,r=1,o=!1,a=0,l=Math.PI*2){super(),this.type="CylinderGeometry",this.parameters={radiusTop:e,radiusBottom:t,height:n,radialSegments:s,heightSegments:r,openEnded:o,thetaStart:a,thetaLength:l};const c=this;s=Math.floor(s),r=Math.floor(r);const u=[],h=[],f=[],p=[];let _=0;const x=[],m=n/2;let d=0;y(),o===!1&&(e>0&&M(!0),t>0&&M(!1)),this.setIndex(u),this.setAttribute("position",new Vn(h,3)),this.setAttribute("normal",new Vn(f,3)),this.setAttribute("uv",new Vn(p,2));function y(){const w=new Y,V=new Y;let T=0;const C=(t-e)/n;for(let U=0;U<=r;U++){const E=[],v=U/r,D=v*(t-e)+e;for(let H=0;H<=s;H++){const L=H/s,j=L*l+a,q=Math.sin(j),te=Math.cos(j);V.x=D*q,V.y=-v*n+m,V.z=D*te,h.push(V.x,V.y,V.z),w.set(q,C,te).normalize(),f.push(w.x,w.y,w.z),p.push(L,1-v),E.push(_++)}x.push(E)}for(let U=0;U<s;U++)for(let E=0;E<r;E++){const v=x[E][U],D=x[E+1][U],H=x[E+1][U+1],L=x[E][U+1];u.push(v,D,L),u.push(D,H,L),T+=6}c.addGroup(d,T,0),d+=T}function M(w){const V=_,T=new ze,C=new Y;let U=0;const E=w===!0?e:t,v=w===!0?1:-1;for(let H=1;H<=s;H++)h.push(0,m*v,0),f.push(0,v,0),p.push(.5,.5),_++;const D=_;for(let H=0;H<=s;H++){const j=H/s*l+a,q=Math.cos(j),te=Math.sin(j);C.x=E*te,C.y=m*v,C.z=E*q,h.push(C.x,C.y,C.z),f.push(0,v,0),T.x=q*.5+.5,T.y=te*.5*v+.5,p.push(T.x,T.y),_++}for(let H=0;H<s;H++){const L=V+H,j=D+H;w===!0?u.push(j,j+1,L):u.push(j+1,j,L),U+=3}c.addGroup(d,U,w===!0?1:2),d+=U}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new xa(e.radiusTop,e.radiusBottom,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}}class yc extends xa{constructor(e=1,t=1,n=32,s=1,r=!1,o=0,a=Math.PI*2){super(0,e,t,n,s,r,o,a),this.type="ConeGeometry",this.parameters={radius:e,height:t,radialSegments:n,heightSegments:s,openEnded:r,thetaStart:o,thetaLength:a}}static fromJSON(e){return new yc(e.radius,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}}class Ec extends di{constructor(e=new Sc(new Y(-1,-1,0),new Y(-1,1,0),new Y(1,1,0)),t=64,n=1,s=8,r=!1){super(),this.type="TubeGeometry",this.parameters={path:e,tubularSegments:t,radius:n,radialSegments:s,closed:r};const o=e.computeFrenetFrames(t,r);this.tangents=o.tangents,this.normals=o.normals,this.binormals=o.binormals;const a=new Y,l=new Y,c=new ze;let u=new Y;const h=[],f=[],p=[],_=[];x(),this.setIndex(_),this.setAttribute("position",new Vn(h,3)),this.setAttribute("normal",new Vn(f,3)),this.setAttribute("uv",new Vn(p,2));function x(){for(let M=0;M<t;M++)m(M);m(r===!1?t:0),y(),d()}function m(M){u=e.getPointAt(M/t,u);const w=o.normals[M],V=o.binormals[M];for(let T=0;T<=s;T++){const C=T/s*Math.PI*2,U=Math.sin(C),E=-Math.cos(C);l.x=E*w.x+U*V.x,l.y=E*w.y+U*V.y,l.z=E*w.z+U*V.z,l.normalize(),f.push(l.x,l.y,l.z),a.x=u.x+n*l.x,a.y=u.y+n*l.y,a.z=u.z+n*l.z,h.push(a.x,a.y,a.z)}}function d(){for(let M=1;M<=t;M++)for(let w=1;w<=s;w++){const V=(s+1)*(M-1)+(w-1),T=(s+1)*M+(w-1),C=(s+1)*M+w,U=(s+1)*(M-1)+w;_.push(V,T,U),_.push(T,C,U)}}function y(){for(let M=0;M<=t;M++)for(let w=0;w<=s;w++)c.x=M/t,c.y=w/s,p.push(c.x,c.y)}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}toJSON(){const e=super.toJSON();return e.path=this.parameters.path.toJSON(),e}static fromJSON(e){return new Ec(new zM[e.path.type]().fromJSON(e.path),e.tubularSegments,e.radius,e.radialSegments,e.closed)}}class HM extends di{constructor(){super(),this.isInstancedBufferGeometry=!0,this.type="InstancedBufferGeometry",this.instanceCount=1/0}copy(e){return super.copy(e),this.instanceCount=e.instanceCount,this}toJSON(){const e=super.toJSON();return e.instanceCount=this.instanceCount,e.isInstancedBufferGeometry=!0,e}}const Uh=new zt;class VM{constructor(e,t,n=0,s=1/0){this.ray=new _c(e,t),this.near=n,this.far=s,this.camera=null,this.layers=new vc,this.params={Mesh:{},Line:{threshold:1},LOD:{},Points:{threshold:1},Sprite:{}}}set(e,t){this.ray.set(e,t)}setFromCamera(e,t){t.isPerspectiveCamera?(this.ray.origin.setFromMatrixPosition(t.matrixWorld),this.ray.direction.set(e.x,e.y,.5).unproject(t).sub(this.ray.origin).normalize(),this.camera=t):t.isOrthographicCamera?(this.ray.origin.set(e.x,e.y,(t.near+t.far)/(t.near-t.far)).unproject(t),this.ray.direction.set(0,0,-1).transformDirection(t.matrixWorld),this.camera=t):console.error("THREE.Raycaster: Unsupported camera type: "+t.type)}setFromXRController(e){return Uh.identity().extractRotation(e.matrixWorld),this.ray.origin.setFromMatrixPosition(e.matrixWorld),this.ray.direction.set(0,0,-1).applyMatrix4(Uh),this}intersectObject(e,t=!0,n=[]){return Jl(e,this,n,t),n.sort(Ih),n}intersectObjects(e,t=!0,n=[]){for(let s=0,r=e.length;s<r;s++)Jl(e[s],this,n,t);return n.sort(Ih),n}}function Ih(i,e){return i.distance-e.distance}function Jl(i,e,t,n){if(i.layers.test(e.layers)&&i.raycast(e,t),n===!0){const s=i.children;for(let r=0,o=s.length;r<o;r++)Jl(s[r],e,t,!0)}}class Nh{constructor(e=1,t=0,n=0){return this.radius=e,this.phi=t,this.theta=n,this}set(e,t,n){return this.radius=e,this.phi=t,this.theta=n,this}copy(e){return this.radius=e.radius,this.phi=e.phi,this.theta=e.theta,this}makeSafe(){return this.phi=Math.max(1e-6,Math.min(Math.PI-1e-6,this.phi)),this}setFromVector3(e){return this.setFromCartesianCoords(e.x,e.y,e.z)}setFromCartesianCoords(e,t,n){return this.radius=Math.sqrt(e*e+t*t+n*n),this.radius===0?(this.theta=0,this.phi=0):(this.theta=Math.atan2(e,n),this.phi=Math.acos(hn(t/this.radius,-1,1))),this}clone(){return new this.constructor().copy(this)}}typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("register",{detail:{revision:pc}}));typeof window<"u"&&(window.__THREE__?console.warn("WARNING: Multiple instances of Three.js being imported."):window.__THREE__=pc);class Dd{colours;scales;constructor(e){this.colours=new Uint8Array(3*e),this.scales=new Float32Array(e).fill(1)}}const GM=[.8,1,.66],WM=`
  attribute float shade, grow;
  attribute vec3 middle, tint;
  varying vec3 colour;
  void main() {
    vec3 side = step(0.0, cameraPosition - middle) * 2.0 - 1.0;
    bool is_bottom = shade == 1.0 && side.y < 0.0;
    colour = tint * (is_bottom ? 0.55 : shade);
    gl_Position = projectionMatrix * viewMatrix * vec4(middle + position * side * grow, 1.0);
  }`,$M=`
  uniform float opacity;
  varying vec3 colour;
  void main() { gl_FragColor = vec4(colour, opacity); }`;class Oh{constructor(e,t,n=1){this.layout=e,this.middles=new El(new Float32Array(3*t),3),this.tints=new El(new Uint8Array(3*t),3,!0),this.scales=new El(new Float32Array(t),1);for(const c of[this.middles,this.tints,this.scales])c.setUsage(ug);const s=new HM,r=[],o=[],a=[];for(let c=0;c<3;++c){a.push(...[0,1,2,2,1,3].map(u=>c*4+u));for(const[u,h]of[[-1,-1],[1,-1],[-1,1],[1,1]]){const f=[1,1,1];f[(c+1)%3]=u,f[(c+2)%3]=h,r.push(...f.map((p,_)=>p*e.cell[_]/2)),o.push(GM[c])}}s.setIndex(a),s.setAttribute("position",new An(new Float32Array(r),3)),s.setAttribute("shade",new An(new Float32Array(o),1)),s.setAttribute("middle",this.middles),s.setAttribute("tint",this.tints),s.setAttribute("grow",this.scales),s.instanceCount=0;const l=n===1;this.mesh=new Dn(s,new Ei({vertexShader:WM,fragmentShader:$M,side:ci,uniforms:{opacity:{value:n}},transparent:!l,depthTest:l,depthWrite:l})),this.mesh.frustumCulled=!1}mesh;middles;tints;scales;ranks=[];place(e){this.ranks=e;const{middles:t}=this.layout;for(let n=0;n<e.length;++n)for(let s=0;s<3;++s)this.middles.array[3*n+s]=t[3*e[n]+s];this.middles.needsUpdate=!0,this.mesh.geometry.instanceCount=e.length}paint({colours:e,scales:t}){for(let n=0;n<this.ranks.length;++n){const s=this.ranks[n];for(let r=0;r<3;++r)this.tints.array[3*n+r]=e[3*s+r];this.scales.array[n]=t[s]}this.tints.needsUpdate=this.scales.needsUpdate=!0}destroy(){this.mesh.geometry.dispose(),this.mesh.material.dispose()}}const Ql={compute:"computes slowly",input:"waits for data",launch:"starts transfers late",wire:"slow wire"};function Ud(i,{tensor:e,context:t,data:n}){return{tensor:i%e,context:Math.floor(i/e)%t,data:Math.floor(i/(e*t))%n,pipeline:Math.floor(i/(e*t*n))}}function bc(i,e){const t=i%(e.tensor*e.context*e.data);return Math.floor(t/e.expert_tensor)%e.expert}function XM(i,e){return Array.from({length:e.expert},(t,n)=>i+(n-bc(i,e))*e.expert_tensor)}function ec(i,e){const t=e.experts/e.expert,n=bc(i,e)*t;return t===1?`expert ${n}`:`experts ${n}-${n+t-1}`}async function no(i,e,t){const{rank:n,host:s,work:r,hosts:o,...a}=await gn(`/api/runs/${i.id}/ranks?steps=${e}&columns=${encodeURIComponent(t)}`),l=i.job??{tensor:1,context:1,data:1};return{...a,ranks:n.map((c,u)=>({rank:c,host:o[s[u]],work:r[u],at:Ud(c,l)}))}}function Id({ranks:i,all:e}){return A("div.muted",{},`Records of ${i.toLocaleString("en")} of ${e.toLocaleString("en")} ranks are read so far; the others follow.`)}function YM(i){const e=[...i].sort((t,n)=>t-n);return e[Math.floor((e.length-1)/2)]}function Nd(i,e){const t=new Map;i.ranks.forEach((s,r)=>{const o=t.get(s.work);o?o.push(e.values[r]):t.set(s.work,[e.values[r]])});const n=new Map([...t].map(([s,r])=>[s,YM(r)]));return i.ranks.map((s,r)=>{const o=n.get(s.work),a=e.values[r];return{row:s,value:a,excess:e.unit==="ratio"?o-a:o>0?a/o-1:0}})}function Zo({data:i,tensor:e,context:t,pipeline:n}){return`data ${i} · tensor ${e}${t?` · context ${t}`:""} · stage ${n}`}function wc(i){return[...["data","tensor","context","pipeline"].filter(n=>i[n]>1).map(n=>`${n} ${i[n]}`),...i.expert>1?[`expert ${i.expert}`]:[]].join(" · ")||"one rank does all"}function Fh(i){return`${i.host||"host unknown"} · ${Zo(i.at)}`}function kh(i,e=6){const t=[];for(let n=0;n<i.length;){let s=n;for(;s+1<i.length&&i[s+1]===i[s]+1;)++s;t.push(s===n?String(i[n]):`${i[n]}${s===n+1?", ":"-"}${i[s]}`),n=s+1}return t.length<=e?t.join(", "):`${t.slice(0,3).join(", ")} … ${t.at(-1)} (${i.length})`}const qM=.28,jM=[.2,.24,.42],KM=14;class ZM{constructor(e){this.job=e,this.counts=[e.data*e.context,e.tensor,e.pipeline],this.world=this.counts[0]*this.counts[1]*this.counts[2];const t=Math.max(...this.counts);this.place=this.counts.map((n,s)=>n===1?1:Math.max(1,Math.min(KM,jM[s]*t/n))),this.cell=this.place.map(n=>n*(1-qM)),this.middles=new Float32Array(3*this.world);for(let n=0;n<this.world;++n){const[s,r,o]=this.cell_of(n);this.middles[3*n]=(s-(this.counts[0]-1)/2)*this.place[0],this.middles[3*n+1]=(r-(this.counts[1]-1)/2)*this.place[1],this.middles[3*n+2]=((this.counts[2]-1)/2-o)*this.place[2]}}counts;place;cell;world;middles;at(e){return Ud(e,this.job)}cell_of(e){const{tensor:t,context:n,data:s,pipeline:r}=this.at(e);return[s*this.job.context+n,t,r]}rank_at([e,t,n]){const{tensor:s}=this.job;return t+s*(e+this.counts[0]*n)}position(e){return[this.middles[3*e],this.middles[3*e+1],this.middles[3*e+2]]}get half(){return this.counts.map((e,t)=>e*this.place[t]/2)}neighbour(e,t,n){const s=this.cell_of(e);return s[t]=Math.max(0,Math.min(this.counts[t]-1,s[t]+n)),this.rank_at(s)}}const Bh={type:"change"},Al={type:"start"},zh={type:"end"},Vo=new _c,Hh=new Zi,JM=Math.cos(70*fg.DEG2RAD);class QM extends Ps{constructor(e,t){super(),this.object=e,this.domElement=t,this.domElement.style.touchAction="none",this.enabled=!0,this.target=new Y,this.cursor=new Y,this.minDistance=0,this.maxDistance=1/0,this.minZoom=0,this.maxZoom=1/0,this.minTargetRadius=0,this.maxTargetRadius=1/0,this.minPolarAngle=0,this.maxPolarAngle=Math.PI,this.minAzimuthAngle=-1/0,this.maxAzimuthAngle=1/0,this.enableDamping=!1,this.dampingFactor=.05,this.enableZoom=!0,this.zoomSpeed=1,this.enableRotate=!0,this.rotateSpeed=1,this.enablePan=!0,this.panSpeed=1,this.screenSpacePanning=!0,this.keyPanSpeed=7,this.zoomToCursor=!1,this.autoRotate=!1,this.autoRotateSpeed=2,this.keys={LEFT:"ArrowLeft",UP:"ArrowUp",RIGHT:"ArrowRight",BOTTOM:"ArrowDown"},this.mouseButtons={LEFT:Ws.ROTATE,MIDDLE:Ws.DOLLY,RIGHT:Ws.PAN},this.touches={ONE:$s.ROTATE,TWO:$s.DOLLY_PAN},this.target0=this.target.clone(),this.position0=this.object.position.clone(),this.zoom0=this.object.zoom,this._domElementKeyEvents=null,this.getPolarAngle=function(){return a.phi},this.getAzimuthalAngle=function(){return a.theta},this.getDistance=function(){return this.object.position.distanceTo(this.target)},this.listenToKeyEvents=function(S){S.addEventListener("keydown",Ye),this._domElementKeyEvents=S},this.stopListenToKeyEvents=function(){this._domElementKeyEvents.removeEventListener("keydown",Ye),this._domElementKeyEvents=null},this.saveState=function(){n.target0.copy(n.target),n.position0.copy(n.object.position),n.zoom0=n.object.zoom},this.reset=function(){n.target.copy(n.target0),n.object.position.copy(n.position0),n.object.zoom=n.zoom0,n.object.updateProjectionMatrix(),n.dispatchEvent(Bh),n.update(),r=s.NONE},this.update=function(){const S=new Y,Z=new Rs().setFromUnitVectors(e.up,new Y(0,1,0)),re=Z.clone().invert(),ve=new Y,Pe=new Rs,tt=new Y,it=2*Math.PI;return function(Ht=null){const lt=n.object.position;S.copy(lt).sub(n.target),S.applyQuaternion(Z),a.setFromVector3(S),n.autoRotate&&r===s.NONE&&H(v(Ht)),n.enableDamping?(a.theta+=l.theta*n.dampingFactor,a.phi+=l.phi*n.dampingFactor):(a.theta+=l.theta,a.phi+=l.phi);let Nt=n.minAzimuthAngle,ut=n.maxAzimuthAngle;isFinite(Nt)&&isFinite(ut)&&(Nt<-Math.PI?Nt+=it:Nt>Math.PI&&(Nt-=it),ut<-Math.PI?ut+=it:ut>Math.PI&&(ut-=it),Nt<=ut?a.theta=Math.max(Nt,Math.min(ut,a.theta)):a.theta=a.theta>(Nt+ut)/2?Math.max(Nt,a.theta):Math.min(ut,a.theta)),a.phi=Math.max(n.minPolarAngle,Math.min(n.maxPolarAngle,a.phi)),a.makeSafe(),n.enableDamping===!0?n.target.addScaledVector(u,n.dampingFactor):n.target.add(u),n.target.sub(n.cursor),n.target.clampLength(n.minTargetRadius,n.maxTargetRadius),n.target.add(n.cursor);let wt=!1;if(n.zoomToCursor&&T||n.object.isOrthographicCamera)a.radius=G(a.radius);else{const It=a.radius;a.radius=G(a.radius*c),wt=It!=a.radius}if(S.setFromSpherical(a),S.applyQuaternion(re),lt.copy(n.target).add(S),n.object.lookAt(n.target),n.enableDamping===!0?(l.theta*=1-n.dampingFactor,l.phi*=1-n.dampingFactor,u.multiplyScalar(1-n.dampingFactor)):(l.set(0,0,0),u.set(0,0,0)),n.zoomToCursor&&T){let It=null;if(n.object.isPerspectiveCamera){const xn=S.length();It=G(xn*c);const dn=xn-It;n.object.position.addScaledVector(w,dn),n.object.updateMatrixWorld(),wt=!!dn}else if(n.object.isOrthographicCamera){const xn=new Y(V.x,V.y,0);xn.unproject(n.object);const dn=n.object.zoom;n.object.zoom=Math.max(n.minZoom,Math.min(n.maxZoom,n.object.zoom/c)),n.object.updateProjectionMatrix(),wt=dn!==n.object.zoom;const tn=new Y(V.x,V.y,0);tn.unproject(n.object),n.object.position.sub(tn).add(xn),n.object.updateMatrixWorld(),It=S.length()}else console.warn("WARNING: OrbitControls.js encountered an unknown camera type - zoom to cursor disabled."),n.zoomToCursor=!1;It!==null&&(this.screenSpacePanning?n.target.set(0,0,-1).transformDirection(n.object.matrix).multiplyScalar(It).add(n.object.position):(Vo.origin.copy(n.object.position),Vo.direction.set(0,0,-1).transformDirection(n.object.matrix),Math.abs(n.object.up.dot(Vo.direction))<JM?e.lookAt(n.target):(Hh.setFromNormalAndCoplanarPoint(n.object.up,n.target),Vo.intersectPlane(Hh,n.target))))}else if(n.object.isOrthographicCamera){const It=n.object.zoom;n.object.zoom=Math.max(n.minZoom,Math.min(n.maxZoom,n.object.zoom/c)),It!==n.object.zoom&&(n.object.updateProjectionMatrix(),wt=!0)}return c=1,T=!1,wt||ve.distanceToSquared(n.object.position)>o||8*(1-Pe.dot(n.object.quaternion))>o||tt.distanceToSquared(n.target)>o?(n.dispatchEvent(Bh),ve.copy(n.object.position),Pe.copy(n.object.quaternion),tt.copy(n.target),!0):!1}}(),this.dispose=function(){n.domElement.removeEventListener("contextmenu",et),n.domElement.removeEventListener("pointerdown",z),n.domElement.removeEventListener("pointercancel",ae),n.domElement.removeEventListener("wheel",he),n.domElement.removeEventListener("pointermove",R),n.domElement.removeEventListener("pointerup",ae),n.domElement.getRootNode().removeEventListener("keydown",Se,{capture:!0}),n._domElementKeyEvents!==null&&(n._domElementKeyEvents.removeEventListener("keydown",Ye),n._domElementKeyEvents=null)};const n=this,s={NONE:-1,ROTATE:0,DOLLY:1,PAN:2,TOUCH_ROTATE:3,TOUCH_PAN:4,TOUCH_DOLLY_PAN:5,TOUCH_DOLLY_ROTATE:6};let r=s.NONE;const o=1e-6,a=new Nh,l=new Nh;let c=1;const u=new Y,h=new ze,f=new ze,p=new ze,_=new ze,x=new ze,m=new ze,d=new ze,y=new ze,M=new ze,w=new Y,V=new ze;let T=!1;const C=[],U={};let E=!1;function v(S){return S!==null?2*Math.PI/60*n.autoRotateSpeed*S:2*Math.PI/60/60*n.autoRotateSpeed}function D(S){const Z=Math.abs(S*.01);return Math.pow(.95,n.zoomSpeed*Z)}function H(S){l.theta-=S}function L(S){l.phi-=S}const j=function(){const S=new Y;return function(re,ve){S.setFromMatrixColumn(ve,0),S.multiplyScalar(-re),u.add(S)}}(),q=function(){const S=new Y;return function(re,ve){n.screenSpacePanning===!0?S.setFromMatrixColumn(ve,1):(S.setFromMatrixColumn(ve,0),S.crossVectors(n.object.up,S)),S.multiplyScalar(re),u.add(S)}}(),te=function(){const S=new Y;return function(re,ve){const Pe=n.domElement;if(n.object.isPerspectiveCamera){const tt=n.object.position;S.copy(tt).sub(n.target);let it=S.length();it*=Math.tan(n.object.fov/2*Math.PI/180),j(2*re*it/Pe.clientHeight,n.object.matrix),q(2*ve*it/Pe.clientHeight,n.object.matrix)}else n.object.isOrthographicCamera?(j(re*(n.object.right-n.object.left)/n.object.zoom/Pe.clientWidth,n.object.matrix),q(ve*(n.object.top-n.object.bottom)/n.object.zoom/Pe.clientHeight,n.object.matrix)):(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - pan disabled."),n.enablePan=!1)}}();function ie(S){n.object.isPerspectiveCamera||n.object.isOrthographicCamera?c/=S:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),n.enableZoom=!1)}function ne(S){n.object.isPerspectiveCamera||n.object.isOrthographicCamera?c*=S:(console.warn("WARNING: OrbitControls.js encountered an unknown camera type - dolly/zoom disabled."),n.enableZoom=!1)}function fe(S,Z){if(!n.zoomToCursor)return;T=!0;const re=n.domElement.getBoundingClientRect(),ve=S-re.left,Pe=Z-re.top,tt=re.width,it=re.height;V.x=ve/tt*2-1,V.y=-(Pe/it)*2+1,w.set(V.x,V.y,1).unproject(n.object).sub(n.object.position).normalize()}function G(S){return Math.max(n.minDistance,Math.min(n.maxDistance,S))}function ce(S){h.set(S.clientX,S.clientY)}function F(S){fe(S.clientX,S.clientX),d.set(S.clientX,S.clientY)}function B(S){_.set(S.clientX,S.clientY)}function N(S){f.set(S.clientX,S.clientY),p.subVectors(f,h).multiplyScalar(n.rotateSpeed);const Z=n.domElement;H(2*Math.PI*p.x/Z.clientHeight),L(2*Math.PI*p.y/Z.clientHeight),h.copy(f),n.update()}function W(S){y.set(S.clientX,S.clientY),M.subVectors(y,d),M.y>0?ie(D(M.y)):M.y<0&&ne(D(M.y)),d.copy(y),n.update()}function J(S){x.set(S.clientX,S.clientY),m.subVectors(x,_).multiplyScalar(n.panSpeed),te(m.x,m.y),_.copy(x),n.update()}function Q(S){fe(S.clientX,S.clientY),S.deltaY<0?ne(D(S.deltaY)):S.deltaY>0&&ie(D(S.deltaY)),n.update()}function K(S){let Z=!1;switch(S.code){case n.keys.UP:S.ctrlKey||S.metaKey||S.shiftKey?L(2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):te(0,n.keyPanSpeed),Z=!0;break;case n.keys.BOTTOM:S.ctrlKey||S.metaKey||S.shiftKey?L(-2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):te(0,-n.keyPanSpeed),Z=!0;break;case n.keys.LEFT:S.ctrlKey||S.metaKey||S.shiftKey?H(2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):te(n.keyPanSpeed,0),Z=!0;break;case n.keys.RIGHT:S.ctrlKey||S.metaKey||S.shiftKey?H(-2*Math.PI*n.rotateSpeed/n.domElement.clientHeight):te(-n.keyPanSpeed,0),Z=!0;break}Z&&(S.preventDefault(),n.update())}function X(S){if(C.length===1)h.set(S.pageX,S.pageY);else{const Z=ft(S),re=.5*(S.pageX+Z.x),ve=.5*(S.pageY+Z.y);h.set(re,ve)}}function O(S){if(C.length===1)_.set(S.pageX,S.pageY);else{const Z=ft(S),re=.5*(S.pageX+Z.x),ve=.5*(S.pageY+Z.y);_.set(re,ve)}}function pe(S){const Z=ft(S),re=S.pageX-Z.x,ve=S.pageY-Z.y,Pe=Math.sqrt(re*re+ve*ve);d.set(0,Pe)}function de(S){n.enableZoom&&pe(S),n.enablePan&&O(S)}function Ee(S){n.enableZoom&&pe(S),n.enableRotate&&X(S)}function xe(S){if(C.length==1)f.set(S.pageX,S.pageY);else{const re=ft(S),ve=.5*(S.pageX+re.x),Pe=.5*(S.pageY+re.y);f.set(ve,Pe)}p.subVectors(f,h).multiplyScalar(n.rotateSpeed);const Z=n.domElement;H(2*Math.PI*p.x/Z.clientHeight),L(2*Math.PI*p.y/Z.clientHeight),h.copy(f)}function we(S){if(C.length===1)x.set(S.pageX,S.pageY);else{const Z=ft(S),re=.5*(S.pageX+Z.x),ve=.5*(S.pageY+Z.y);x.set(re,ve)}m.subVectors(x,_).multiplyScalar(n.panSpeed),te(m.x,m.y),_.copy(x)}function Re(S){const Z=ft(S),re=S.pageX-Z.x,ve=S.pageY-Z.y,Pe=Math.sqrt(re*re+ve*ve);y.set(0,Pe),M.set(0,Math.pow(y.y/d.y,n.zoomSpeed)),ie(M.y),d.copy(y);const tt=(S.pageX+Z.x)*.5,it=(S.pageY+Z.y)*.5;fe(tt,it)}function Ge(S){n.enableZoom&&Re(S),n.enablePan&&we(S)}function ht(S){n.enableZoom&&Re(S),n.enableRotate&&xe(S)}function z(S){n.enabled!==!1&&(C.length===0&&(n.domElement.setPointerCapture(S.pointerId),n.domElement.addEventListener("pointermove",R),n.domElement.addEventListener("pointerup",ae)),!Ve(S)&&(Be(S),S.pointerType==="touch"?Ae(S):ge(S)))}function R(S){n.enabled!==!1&&(S.pointerType==="touch"?ke(S):Me(S))}function ae(S){switch(Le(S),C.length){case 0:n.domElement.releasePointerCapture(S.pointerId),n.domElement.removeEventListener("pointermove",R),n.domElement.removeEventListener("pointerup",ae),n.dispatchEvent(zh),r=s.NONE;break;case 1:const Z=C[0],re=U[Z];Ae({pointerId:Z,pageX:re.x,pageY:re.y});break}}function ge(S){let Z;switch(S.button){case 0:Z=n.mouseButtons.LEFT;break;case 1:Z=n.mouseButtons.MIDDLE;break;case 2:Z=n.mouseButtons.RIGHT;break;default:Z=-1}switch(Z){case Ws.DOLLY:if(n.enableZoom===!1)return;F(S),r=s.DOLLY;break;case Ws.ROTATE:if(S.ctrlKey||S.metaKey||S.shiftKey){if(n.enablePan===!1)return;B(S),r=s.PAN}else{if(n.enableRotate===!1)return;ce(S),r=s.ROTATE}break;case Ws.PAN:if(S.ctrlKey||S.metaKey||S.shiftKey){if(n.enableRotate===!1)return;ce(S),r=s.ROTATE}else{if(n.enablePan===!1)return;B(S),r=s.PAN}break;default:r=s.NONE}r!==s.NONE&&n.dispatchEvent(Al)}function Me(S){switch(r){case s.ROTATE:if(n.enableRotate===!1)return;N(S);break;case s.DOLLY:if(n.enableZoom===!1)return;W(S);break;case s.PAN:if(n.enablePan===!1)return;J(S);break}}function he(S){n.enabled===!1||n.enableZoom===!1||r!==s.NONE||(S.preventDefault(),n.dispatchEvent(Al),Q(me(S)),n.dispatchEvent(zh))}function me(S){const Z=S.deltaMode,re={clientX:S.clientX,clientY:S.clientY,deltaY:S.deltaY};switch(Z){case 1:re.deltaY*=16;break;case 2:re.deltaY*=100;break}return S.ctrlKey&&!E&&(re.deltaY*=10),re}function Se(S){S.key==="Control"&&(E=!0,n.domElement.getRootNode().addEventListener("keyup",be,{passive:!0,capture:!0}))}function be(S){S.key==="Control"&&(E=!1,n.domElement.getRootNode().removeEventListener("keyup",be,{passive:!0,capture:!0}))}function Ye(S){n.enabled===!1||n.enablePan===!1||K(S)}function Ae(S){switch(qe(S),C.length){case 1:switch(n.touches.ONE){case $s.ROTATE:if(n.enableRotate===!1)return;X(S),r=s.TOUCH_ROTATE;break;case $s.PAN:if(n.enablePan===!1)return;O(S),r=s.TOUCH_PAN;break;default:r=s.NONE}break;case 2:switch(n.touches.TWO){case $s.DOLLY_PAN:if(n.enableZoom===!1&&n.enablePan===!1)return;de(S),r=s.TOUCH_DOLLY_PAN;break;case $s.DOLLY_ROTATE:if(n.enableZoom===!1&&n.enableRotate===!1)return;Ee(S),r=s.TOUCH_DOLLY_ROTATE;break;default:r=s.NONE}break;default:r=s.NONE}r!==s.NONE&&n.dispatchEvent(Al)}function ke(S){switch(qe(S),r){case s.TOUCH_ROTATE:if(n.enableRotate===!1)return;xe(S),n.update();break;case s.TOUCH_PAN:if(n.enablePan===!1)return;we(S),n.update();break;case s.TOUCH_DOLLY_PAN:if(n.enableZoom===!1&&n.enablePan===!1)return;Ge(S),n.update();break;case s.TOUCH_DOLLY_ROTATE:if(n.enableZoom===!1&&n.enableRotate===!1)return;ht(S),n.update();break;default:r=s.NONE}}function et(S){n.enabled!==!1&&S.preventDefault()}function Be(S){C.push(S.pointerId)}function Le(S){delete U[S.pointerId];for(let Z=0;Z<C.length;Z++)if(C[Z]==S.pointerId){C.splice(Z,1);return}}function Ve(S){for(let Z=0;Z<C.length;Z++)if(C[Z]==S.pointerId)return!0;return!1}function qe(S){let Z=U[S.pointerId];Z===void 0&&(Z=new ze,U[S.pointerId]=Z),Z.set(S.pageX,S.pageY)}function ft(S){const Z=S.pointerId===C[0]?C[1]:C[0];return U[Z]}n.domElement.addEventListener("contextmenu",et),n.domElement.addEventListener("pointerdown",z),n.domElement.addEventListener("pointercancel",ae),n.domElement.addEventListener("wheel",he,{passive:!1}),n.domElement.getRootNode().addEventListener("keydown",Se,{passive:!0,capture:!0}),this.update()}}const Vh=[[2,1],[0,2],[0,1]],eS=`
  attribute vec2 place;
  varying vec2 at;
  void main() {
    at = place;
    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
  }`,tS=`
  uniform sampler2D tints;
  uniform vec2 counts, gap;
  uniform vec3 border;
  uniform float shade;
  varying vec2 at;
  void main() {
    vec2 within = fract(at);
    vec2 inside = clamp((min(within, 1.0 - within) - gap) / fwidth(at) + 0.5, 0.0, 1.0);
    vec2 smallest = clamp(2.0 * fwidth(at) - 1.0, 0.0, 1.0);
    inside = mix(inside, 1.0 - 2.0 * gap, smallest);
    vec3 tint = texture2D(tints, (clamp(floor(at), vec2(0.0), counts - 1.0) + 0.5) / counts).rgb;
    gl_FragColor = vec4(mix(border, tint * shade, inside.x * inside.y), 1.0);
  }`;class nS{constructor(e){this.layout=e,this.sides=[0,1,2].map(t=>this.make(t))}group=new dr;sides;make(e){const{counts:t,place:n,cell:s}=this.layout,[r,o]=Vh[e],a=new bM(new Uint8Array(4*t[r]*t[o]),t[r],t[o]),l=h=>(1-s[h]/n[h])/2,c=new di;c.setAttribute("position",new An(new Float32Array(12),3)),c.setAttribute("place",new An(new Float32Array([0,0,t[r],0,0,t[o],t[r],t[o]]),2)),c.setIndex([0,1,2,2,1,3]);const u=new Dn(c,new Ei({vertexShader:eS,fragmentShader:tS,side:ci,uniforms:{tints:{value:a},counts:{value:new ze(t[r],t[o])},gap:{value:new ze(l(r),l(o))},border:{value:new Y},shade:{value:1}}}));return u.frustumCulled=!1,this.group.add(u),{across:e,ranks:new Uint32Array(t[r]*t[o]),mesh:u,tints:a}}place(e){const{layout:t}=this;for(const{across:n,ranks:s,mesh:r}of this.sides){const[o,a]=Vh[n],l=(e&1<<n)!==0,c=t.half[n]-(t.place[n]-t.cell[n])/2,u=r.geometry.getAttribute("position");for(let f=0;f<4;++f){const p=[0,0,0];p[n]=l?c:-c,p[o]=(f&1?1:-1)*t.half[o]*(o===2?-1:1),p[a]=(f&2?1:-1)*t.half[a]*(a===2?-1:1),u.setXYZ(f,...p)}u.needsUpdate=!0;const h=[0,0,0];h[n]=l!==(n===2)?t.counts[n]-1:0;for(let f=0;f<s.length;++f)h[o]=f%t.counts[o],h[a]=Math.floor(f/t.counts[o]),s[f]=t.rank_at(h);r.material.uniforms.shade.value=n===1?l?1:.55:n===0?.8:.66}}paint({colours:e},t){for(const{ranks:n,mesh:s,tints:r}of this.sides){const o=r.image.data;n.forEach((a,l)=>{for(let c=0;c<3;++c)o[4*l+c]=e[3*a+c];o[4*l+3]=255}),r.needsUpdate=!0,s.material.uniforms.border.value.fromArray(t.map(a=>a/255))}}destroy(){for(const{mesh:e,tints:t}of this.sides)e.geometry.dispose(),e.material.dispose(),t.dispose()}}vt.enabled=!1;const iS=3e3,Gh=1024,Wh=-1,Go=8;class sS{constructor(e){this.layout=e;const t=e.world>iS;this.renderer=new yM({antialias:!t,alpha:!0,powerPreference:"low-power"}),this.renderer.outputColorSpace=ki,this.renderer.setPixelRatio(t?1:Math.min(2,devicePixelRatio||1)),this.canvas=this.renderer.domElement,this.element=A("div.space",{},this.canvas,this.labels),this.cells=new Oh(e,e.world),this.through=new Oh(e,Gh,.55),this.through.mesh.renderOrder=1,this.looks=new Dd(e.world),this.sides=t?new nS(e):null,this.cells.place(Array.from({length:e.world},(n,s)=>s)),this.cells.mesh.visible=!t,this.scene.add(this.cells.mesh,this.through.mesh,this.links),this.sides&&this.scene.add(this.sides.group),this.orbit=new QM(this.camera,this.canvas),this.orbit.addEventListener("change",()=>this.turn()),this.make_labels(),this.observer.observe(this.element)}element;canvas;labels=A("div.labels",{"aria-hidden":"true"});renderer;scene=new EM;camera=new Zn(32,1,.1,5e3);orbit;cells;sides;through;looks;arranged=Wh;links=new dr;observer=new ResizeObserver(()=>this.resize());marks=[];waiting=0;has_view=!1;turn(){this.sides&&this.corner()!==this.arranged&&this.arrange(),this.draw_soon()}make_labels(){const{half:e,counts:t,place:n}=this.layout,{context:s}=this.layout.job,r=(a,l,c="label")=>{const u=A(`span.${c}`,{},a);this.labels.append(u),this.marks.push({element:u,at:new Y(...l)})},o=.04*Math.max(...e)+.6;if(r(`${s>1?"data × context":"data"} 0 – ${t[0]-1} →`,[0,-e[1]-o,e[2]+o]),t[1]>1&&r(`tensor 0 – ${t[1]-1} ↑`,[-e[0]-o,0,e[2]]),t[2]>1)for(let a=0;a<t[2];a+=Math.ceil(t[2]/8))r(`stage ${a}`,[e[0]+o,-e[1],e[2]-(a+.5)*n[2]],"label.stage")}set_looks(e,t){this.looks=e,this.paint(),this.through.place(t.slice(0,Gh)),this.through.paint(e),this.draw_soon()}corner(){const{x:e,y:t,z:n}=this.camera.position,{half:s}=this.layout;return Math.abs(e)<s[0]&&Math.abs(t)<s[1]&&Math.abs(n)<s[2]?Go:(e>0?1:0)+(t>0?2:0)+(n>0?4:0)}arrange(){this.arranged=this.corner(),this.cells.mesh.visible=this.arranged===Go,this.sides.group.visible=this.arranged!==Go,this.arranged!==Go&&this.sides.place(this.arranged),this.paint()}paint(){if(this.sides&&this.arranged===Wh)return this.arrange();this.cells.mesh.visible?this.cells.paint(this.looks):this.sides.paint(this.looks,fc(Lt("--line")))}set_links(e){for(const t of[...this.links.children])t.geometry.dispose(),t.material.dispose();this.links.clear();for(const t of e)this.links.add(...t.arrow?this.arc(t):[this.beam(t)]);this.draw_soon()}thickness(e){return Math.min(...this.layout.place.filter((t,n)=>this.layout.counts[n]>1),1)*(.03+.07*e.load)+.0028*Math.max(...this.layout.half)}beam(e){const t=new Y(...this.layout.position(e.from)),n=new Y(...this.layout.position(e.to)),s=n.clone().sub(t),r=new Dn(new xa(1,1,1,8),new aa({color:e.colour,depthTest:!1,transparent:!0}));return r.scale.set(this.thickness(e),s.length(),this.thickness(e)),r.position.copy(t.add(n).multiplyScalar(.5)),r.quaternion.setFromUnitVectors(new Y(0,1,0),s.normalize()),r.renderOrder=2,r}arc(e){const t=new Y(...this.layout.position(e.from)),n=new Y(...this.layout.position(e.to)),s=t.distanceTo(n),r=this.thickness(e),o=t.clone().add(n).multiplyScalar(.5).add(new Y(0,e.lift*(.25*s+this.layout.cell[1]),0)),a=new Sc(t,o,n),l=new aa({color:e.colour,depthTest:!1,transparent:!0}),c=new Dn(new Ec(a,24,r,6),l),u=new Dn(new yc(r*2.6,r*8,10),l.clone()),h=a.getTangent(1);return u.quaternion.setFromUnitVectors(new Y(0,1,0),h),u.position.copy(n).addScaledVector(h,-r*4),c.renderOrder=u.renderOrder=3,[c,u]}show_all(){this.has_view=!0;const{half:e}=this.layout,t=[];for(const o of[-1,1])for(const a of[-1,1])for(const l of[-1,1])t.push(new Y(o*e[0],a*e[1],l*e[2]));const n=new Y(-.32,.62,1).normalize();let s=.1,r=20*Math.max(...e)+10;for(let o=0;o<40;++o){const a=(s+r)/2;this.camera.position.copy(n).multiplyScalar(a),this.camera.lookAt(0,0,0),this.camera.updateMatrixWorld(),t.every(c=>{const u=c.clone().project(this.camera);return Math.abs(u.x)<.86&&Math.abs(u.y)<.84&&u.z<1&&c.clone().applyMatrix4(this.camera.matrixWorldInverse).z<0})?r=a:s=a}this.camera.position.copy(n).multiplyScalar(r),this.orbit.target.set(0,0,0),this.orbit.update(),this.draw_soon()}zoom(e){this.camera.position.sub(this.orbit.target).multiplyScalar(e).add(this.orbit.target),this.orbit.update(),this.draw_soon()}rank_at(e){const t=this.canvas.getBoundingClientRect(),n=new VM;n.setFromCamera(new ze((e.clientX-t.left)/t.width*2-1,1-(e.clientY-t.top)/t.height*2),this.camera);const{origin:s,direction:r}=n.ray,o=[s.x,s.y,s.z],a=[r.x,r.y,r.z],{middles:l,cell:c}=this.layout;let u=-1,h=1/0;for(let f=0;f<this.layout.world;++f){let p=0,_=1/0;for(let x=0;x<3;++x){const m=c[x]/2*this.looks.scales[f],d=l[3*f+x],y=(d-m-o[x])/a[x],M=(d+m-o[x])/a[x];p=Math.max(p,Math.min(y,M)),_=Math.min(_,Math.max(y,M))}p<=_&&p<h&&(h=p,u=f)}return u}draw_soon(){this.waiting||=requestAnimationFrame(()=>{this.waiting=0,this.draw()})}draw(){const e=this.element.clientWidth,t=this.element.clientHeight;if(e===0||!this.has_view)return;this.renderer.render(this.scene,this.camera);const n=[];for(const{element:s,at:r}of this.marks){const o=r.clone().project(this.camera),a=4*(s.textContent?.length??0),l=Math.max(a,Math.min(e-a,(o.x+1)/2*e)),c=(1-o.y)/2*t,u=n.every(h=>Math.abs(h.x-l)>56||Math.abs(h.y-c)>16);u&&n.push({x:l,y:c}),s.style.transform=`translate(${l}px, ${c}px) translate(-50%, -50%)`,s.style.visibility=u&&o.z<1?"visible":"hidden"}}resize(){const e=this.element.clientWidth,t=this.element.clientHeight;e===0||t===0||(this.renderer.setSize(e,t),this.camera.aspect=e/t,this.camera.updateProjectionMatrix(),this.has_view||this.show_all(),this.draw())}destroy(){this.observer.disconnect(),this.orbit.dispose(),this.set_links([]),cancelAnimationFrame(this.waiting),this.cells.destroy(),this.sides?.destroy(),this.through.destroy(),this.renderer.dispose(),this.renderer.forceContextLoss()}}const rS=3e3,oS=400,aS=5,lS=10,$h={tensor:"--series-1",data:"--series-2",pipeline:"--series-3",context:"--series-4",expert:"--series-5"},Rl=16,cS={both:"↔",sends:"→",receives:"←",none:"–"},Xh={usual:"as its peers",slow:"slow",stuck:"holds up the job",waits:"waits for it",unknown:"no records"};function uS(i,e){let t=null,n,s=null,r=null,o=null,a=[],l=[],c=new Set,u=-1,h=e.parameters.get("column")??"",f=e.parameters.get("scale")??"",p=[0,1],_=!1,x=0;const m=A("div.controls"),d=A("div.verdict",{role:"status"}),y=A("div.space-holder",{tabindex:0,role:"application","aria-label":"Grid of ranks. Arrow keys choose a rank along data and tensor, Page Up and Page Down along stages."}),M=A("div.tip",{hidden:!0}),w=A("section.panel.side",{"aria-label":"Chosen rank"}),V=A("div.scale"),T=A("div.grid3",{},A("div",{},y,V),w);i.append(m,d,T);const C=oo(()=>{H(),ie()}),U=()=>h==="experts"&&(e.run.job?.expert??1)>1,E=()=>s!==null&&e.run.kind==="simulated"&&(s.reading?.all??s.ranks.length)<n.world,v=()=>s?.columns.find(K=>K.key===h);function D(){a=Array.from({length:n.world},()=>({value:null,excess:0,state:"unknown",text:""}));const K=v();if(s&&K){const X=Nd(s,K),O=(pe,de)=>{a[pe]={value:de.value,excess:de.excess,state:"usual",text:""}};if(E()){const pe=new Map;for(const de of X)pe.has(de.row.at.pipeline)||pe.set(de.row.at.pipeline,de);for(let de=0;de<n.world;++de){const Ee=pe.get(n.at(de).pipeline);Ee&&O(de,Ee)}}for(const pe of X)O(pe.row.rank,pe);for(const pe of s.stragglers)for(const de of pe.ranks)Object.assign(a[de],{state:"slow",text:`${Ql[pe.cause]}: ${pe.text}`});for(const pe of s.problems)a[pe.rank]&&(a[pe.rank].text=pe.text)}for(const X of r?.waiting??[])Object.assign(a[X.rank],{state:"waits",text:`waits in ${X.task} for rank ${kh(X.awaited)}`});for(const X of(r?.suspects??[]).slice().reverse())Object.assign(a[X.rank],{state:"stuck",text:X.reason});p=[1/0,-1/0];for(const{value:X}of a)X!==null&&(p=[Math.min(p[0],X),Math.max(p[1],X)]);p[0]>p[1]&&(p=[0,1])}function H(){if(!t)return;const K=fc(Lt("--surface")),X=U(),O=!X&&(h==="state"||!v()),pe=dc(),de=r?.hangs??!1,Ee=new Dd(n.world),xe=[];a.forEach((we,Re)=>{const Ge=we.state==="stuck",ht=X&&!Ge?hu(bc(Re,e.run.job)):O||we.value===null||Ge||de&&we.state==="waits"?cu(we.state):f==="absolute"?nm((we.value-p[0])/(p[1]-p[0]||1)):pe(we.excess).rgb,R=(c.size>0?!c.has(Re)&&!Ge:de&&!Ge&&we.state!=="waits")?.72:0;for(let ae=0;ae<3;++ae)Ee.colours[3*Re+ae]=ht[ae]+(K[ae]-ht[ae])*R;Ee.scales[Re]=Re===u||Ge?1.38:we.state==="slow"?1.15:1,(Ee.scales[Re]>1||c.has(Re))&&xe.push(Re)}),t.set_looks(Ee,xe),L(O)}function L(K){const X=new Map;for(const pe of a)X.set(pe.state,(X.get(pe.state)??0)+1);const O=pe=>pe.filter(de=>X.has(de)).map(de=>{const Ee=A("i.dot",{});return Ee.style.background=`rgb(${cu(de).join(" ")})`,A("span",{},Ee,`${Xh[de]} (${X.get(de)})`)});if(U()){const pe=e.run.job;Xe(V,...Array.from({length:Math.min(pe.expert,Rl)},(de,Ee)=>{const xe=A("i.dot",{});return xe.style.background=`rgb(${hu(Ee).join(" ")})`,A("span",{},xe,ec(Ee*pe.expert_tensor,pe))}),pe.expert>Rl&&A("span.muted",{},`and ${pe.expert-Rl} more; colours repeat`))}else if(K)Xe(V,...O(["usual","slow","stuck","waits","unknown"]));else{const pe=v().unit,de=f==="absolute"?"gradient.absolute":"gradient";Xe(V,A("span",{},f==="absolute"?Ui(p[0],pe):"−20 %"),A(`span.${de}`,{}),A("span",{},f==="absolute"?Ui(p[1],pe):"+20 %"),A("span.muted",{},f==="absolute"?v().label:"against the median of the ranks with the same work"),...r?.hangs?O(["stuck","waits"]):[])}V.append(A("span.muted.hint",{},"drag turns, wheel zooms, click chooses"))}function j(){const K=r?.suspects??[];Xe(d,...K.slice(0,3).map(X=>A("div.straggler",{},A("span.cause",{},"holds up the job"),A("span",{},` ${X.reason}`),A("span.muted",{},` its process ${X.process_id||""}${X.host?` on ${X.host}`:""} is ${X.process} `),A("button.plain",{onclick:()=>void ne(X.rank)},"show"))),...(s?.stragglers??[]).slice(0,2).map(X=>A("div.straggler",{},A(`span.cause.${X.cause}`,{},Ql[X.cause]),` ${X.text} `,A("button.plain",{onclick:()=>void ne(X.ranks[0])},"show"))),(s?.stragglers.length??0)>2&&A("div.muted",{},`and ${s.stragglers.length-2} more, which the heat map lists`),E()&&A("div.muted",{},`Simulated with ${s.ranks.length} of ${n.world} ranks: each other rank is shown as the first of its stage.`),s?.reading?Id(s.reading):K.length===0&&s&&!s.stragglers.length&&!E()&&A("div.fine",{},"No rank stands out in the last steps."))}function q(K,X,O){if(K.axes.length!==1||!K.members)return null;const pe=Lt($h[K.axes[0]]??"--muted"),de=Math.max(K.sent_bytes,K.received_bytes)/O;if(K.size===2&&K.direction!=="both"){const Ee=K.members.find(we=>we!==X),xe=K.direction==="sends";return{from:xe?X:Ee,to:xe?Ee:X,arrow:!0,colour:pe,load:de,lift:K.lane.startsWith("backward")?-1:1}}return{from:K.members[0],to:K.members.at(-1),arrow:!1,colour:pe,load:de,lift:0}}let te=null;function ie(){if(!t)return;const K=te?.groups??[],X=Math.max(1,...K.map(O=>Math.max(O.sent_bytes,O.received_bytes)));l=K.map(O=>q(O,u,X)).filter(O=>O!==null),t.set_links(l)}async function ne(K){if(!(K===u||!t)&&(u=K,e.remember({rank:K<0?null:String(K)}),c=new Set(K<0?[]:[K]),te=null,H(),ie(),fe(),!(K<0))){vr(`rank ${K}, ${Zo(n.at(K))}${a[K].text?`, ${a[K].text}`:""}`);try{const X=await gn(`/api/runs/${e.run.id}/peers?rank=${K}`);if(_||u!==K)return;te=X;for(const O of X.groups)O.axes.length===1&&O.members?.forEach(pe=>c.add(pe));H(),ie(),fe()}catch(X){!_&&u===K&&w.append(Zt("Its groups cannot be shown",X.message,"error"))}}}function fe(){if(u<0){Xe(w,A("h2.title",{},`${n.world} ranks`),A("p.muted",{},wc(e.run.job)),A("p.muted",{},"Choose a rank to see its groups, the direction and the load of their transfers, and its state."));return}const{value:K,excess:X,state:O,text:pe}=a[u],de=s?.ranks.find(we=>we.rank===u),Ee=[["Place",Zo(n.at(u))],["Host",de?.host||"unknown"],["State",pe||Xh[O]]];(e.run.job?.experts??0)>0&&Ee.splice(1,0,["Holds",`${ec(u,e.run.job)} of ${e.run.job.experts} in each layer`]),K!==null&&v()&&Ee.push([v().label,`${Ui(K,v().unit)} (${X>=0?"+":""}${_n(X)} against peers)`]);const xe=o?.incidents.filter(we=>we.rank===u||we.rank<0&&we.host!==""&&we.host===de?.host).at(-1);xe&&Ee.push(["Last incident",`${xe.what}${xe.step>=0?`, step ${xe.step}`:""}: ${xe.open?"open":xe.outcome}`]),Xe(w,A("div.head",{},A("h2",{},`Rank ${u}`),de?A("button",{onclick:()=>e.go("timeline",{ranks:String(u)})},"Timeline"):null,A("button.plain",{onclick:()=>void ne(-1),title:"Key Esc"},"Close")),A("dl.facts",{},...Ee.flatMap(([we,Re])=>[A("dt",{},we),A("dd",{},Re)])),te&&A("table.groups",{},A("thead",{},A("tr",{},A("th",{},"Group"),A("th",{},"With"),A("th",{},"A step"),A("th",{},"Rate"))),A("tbody",{},...te.groups.map(G))),te&&te.times_of!==void 0&&te.times_of!==u&&A("p.muted",{},`Rates are those of rank ${te.times_of}, which has the same plan.`))}function G(K){const X=Math.max(K.sent_bytes,K.received_bytes),O=A("i.dot",{});O.style.background=Lt(K.axes.length===1?$h[K.axes[0]]??"--muted":"--muted");const pe=K.members?.filter(de=>de!==u);return A("tr",{title:`${K.key}, lane ${K.lane}, ${K.transfers} transfers a step`},A("td",{},O,`${K.axes.join(" × ")} `,A("span.muted",{},K.axes.join()===K.lane?"":K.lane.replace("_"," "))),A("td",{},`${cS[K.direction]} ${pe?kh(pe,4):`${K.size-1} ranks`}`),A("td",{},ln(X)),A("td",{},K.moving_seconds&&X>0?`${ln(X/K.moving_seconds)}/s`:"–"))}function ce(){const K=(e.run.job?.expert??1)>1?[{value:"experts",label:"experts"}]:[],X=[{value:"state",label:"state"},...K,...(s?.columns??[]).map(pe=>({value:pe.key,label:pe.label,group:pe.group}))],O=A("input",{size:7,inputmode:"numeric",placeholder:"rank"});O.addEventListener("change",()=>{const pe=Number(O.value);Number.isInteger(pe)&&pe>=0&&pe<n.world&&O.value!==""&&ne(pe)}),Xe(m,wn("Colour",Jn(X,h,pe=>{h=pe,e.remember({column:pe}),B()})),wn("Scale",Jn([{value:"peers",label:"against peers"},{value:"absolute",label:"least to most"}],f,pe=>{f=pe,e.remember({scale:pe}),H()})),wn("Find",O),A("button",{onclick:()=>t?.show_all(),title:"Key 0"},"Whole grid"))}function F(){const{kind:K,age_seconds:X,newest:O}=e.run;return K==="trained"&&(X??0)>Math.max(lS,aS*(O.step_seconds??0))}async function B(){window.clearTimeout(x);const K=h;try{s=await no(e.run,8,K||"compute"),K||(h="compute"),f||=E()?"absolute":"peers"}catch(X){if(X.status!==404)throw X;h||="state",f||="peers"}e.run.has_job&&(o=await gn(`/api/runs/${e.run.id}/job`).catch(()=>null)),r=F()?await gn(`/api/runs/${e.run.id}/hang`).catch(()=>null):null,!(_||K&&K!==h)&&((!m.hasChildNodes()||s&&m.querySelectorAll("option").length<5)&&ce(),D(),H(),j(),w.contains(document.activeElement)||fe(),x=window.setTimeout(()=>void B().catch(N),s?.reading?oS:e.run.kind==="simulated"?6e4:rS))}function N(K){_||Xe(d,Zt("Records cannot be read",K.message,"error"))}function W(){let K=null;t.canvas.addEventListener("pointerdown",X=>{K=[X.clientX,X.clientY]}),t.canvas.addEventListener("click",X=>{K&&Math.hypot(X.clientX-K[0],X.clientY-K[1])<4&&ne(t.rank_at(X))}),t.canvas.addEventListener("pointermove",X=>{const O=X.buttons?-1:t.rank_at(X);if(M.hidden=O<0,t.canvas.style.cursor=O<0?"grab":"pointer",O<0)return;const{value:pe,excess:de,text:Ee}=a[O],xe=y.getBoundingClientRect();M.style.transform=`translate(${X.clientX-xe.left+14}px, ${X.clientY-xe.top+14}px)`,Xe(M,A("strong",{},`rank ${O}`),A("div",{},Zo(n.at(O))),pe!==null&&v()?A("div",{},`${v().label} ${Ui(pe,v().unit)}, ${de>=0?"+":""}${_n(de)}`):null,Ee?A("div",{},Ee):null)}),t.canvas.addEventListener("pointerleave",()=>{M.hidden=!0})}function J(K){if(!t)return!1;const O={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowDown:[1,-1],ArrowUp:[1,1],PageUp:[2,1],PageDown:[2,-1]}[K.key];if(O)ne(u<0?0:n.neighbour(u,...O));else if(K.key==="Escape")ne(-1);else if(K.key==="0")t.show_all();else if(K.key==="+"||K.key==="w")t.zoom(.85);else if(K.key==="-"||K.key==="s")t.zoom(1/.85);else return!1;return!0}function Q(){if(!e.run.job){T.hidden=!0,Xe(d,Zt("No grid",e.run.problem??"The size of the job is not known.","empty"));return}n=new ZM(e.run.job),a=Array.from({length:n.world},()=>({value:null,excess:0,state:"unknown",text:""}));try{t=new sS(n)}catch{T.hidden=!0,Xe(d,Zt("This browser draws no WebGL","Turn on hardware acceleration or software rendering of WebGL. The heat map shows the same numbers without it.","error"));return}y.append(t.element,M),W(),H(),fe(),B().then(()=>{const K=Number(e.parameters.get("rank")??r?.suspects?.[0]?.rank??-1);K>=0&&K<n.world&&ne(K)}).catch(N)}return Q(),{leave(){_=!0,window.clearTimeout(x),C(),t?.destroy()},key:J}}const hS=!0,en="u-",fS="uplot",dS=en+"hz",pS=en+"vt",mS=en+"title",gS=en+"wrap",_S=en+"under",vS=en+"over",xS=en+"axis",Ss=en+"off",MS=en+"select",SS=en+"cursor-x",yS=en+"cursor-y",ES=en+"cursor-pt",bS=en+"legend",wS=en+"live",TS=en+"inline",AS=en+"series",RS=en+"marker",Yh=en+"label",CS=en+"value",Yr="width",qr="height",Wr="top",qh="bottom",cr="left",Cl="right",Tc="#000",jh=Tc+"0",Pl="mousemove",Kh="mousedown",Ll="mouseup",Zh="mouseenter",Jh="mouseleave",Qh="dblclick",PS="resize",LS="scroll",ef="change",la="dppxchange",Ac="--",Rr=typeof window<"u",tc=Rr?document:null,_r=Rr?window:null,DS=Rr?navigator:null;let gt,Wo;function nc(){let i=devicePixelRatio;gt!=i&&(gt=i,Wo&&sc(ef,Wo,nc),Wo=matchMedia(`(min-resolution: ${gt-.001}dppx) and (max-resolution: ${gt+.001}dppx)`),ws(ef,Wo,nc),_r.dispatchEvent(new CustomEvent(la)))}function zn(i,e){if(e!=null){let t=i.classList;!t.contains(e)&&t.add(e)}}function ic(i,e){let t=i.classList;t.contains(e)&&t.remove(e)}function Ct(i,e,t){i.style[e]=t+"px"}function ai(i,e,t,n){let s=tc.createElement(i);return e!=null&&zn(s,e),t?.insertBefore(s,n),s}function jn(i,e){return ai("div",i,e)}const tf=new WeakMap;function vi(i,e,t,n,s){let r="translate("+e+"px,"+t+"px)",o=tf.get(i);r!=o&&(i.style.transform=r,tf.set(i,r),e<0||t<0||e>n||t>s?zn(i,Ss):ic(i,Ss))}const nf=new WeakMap;function sf(i,e,t){let n=e+t,s=nf.get(i);n!=s&&(nf.set(i,n),i.style.background=e,i.style.borderColor=t)}const rf=new WeakMap;function of(i,e,t,n){let s=e+""+t,r=rf.get(i);s!=r&&(rf.set(i,s),i.style.height=t+"px",i.style.width=e+"px",i.style.marginLeft=n?-e/2+"px":0,i.style.marginTop=n?-t/2+"px":0)}const Rc={passive:!0},US={...Rc,capture:!0};function ws(i,e,t,n){e.addEventListener(i,t,n?US:Rc)}function sc(i,e,t,n){e.removeEventListener(i,t,Rc)}Rr&&nc();function li(i,e,t,n){let s;t=t||0,n=n||e.length-1;let r=n<=2147483647;for(;n-t>1;)s=r?t+n>>1:Gn((t+n)/2),e[s]<i?t=s:n=s;return i-e[t]<=e[n]-i?t:n}function Od(i){return(t,n,s)=>{let r=-1,o=-1;for(let a=n;a<=s;a++)if(i(t[a])){r=a;break}for(let a=s;a>=n;a--)if(i(t[a])){o=a;break}return[r,o]}}const Fd=i=>i!=null,kd=i=>i!=null&&i>0,Ma=Od(Fd),IS=Od(kd);function NS(i,e,t,n=0,s=!1){let r=s?IS:Ma,o=s?kd:Fd;[e,t]=r(i,e,t);let a=i[e],l=i[e];if(e>-1)if(n==1)a=i[e],l=i[t];else if(n==-1)a=i[t],l=i[e];else for(let c=e;c<=t;c++){let u=i[c];o(u)&&(u<a?a=u:u>l&&(l=u))}return[a??yt,l??-yt]}function Sa(i,e,t,n){let s=cf(i),r=cf(e);i==e&&(s==-1?(i*=t,e/=t):(i/=t,e*=t));let o=t==10?Ni:Bd,a=s==1?Gn:Kn,l=r==1?Kn:Gn,c=a(o(Kt(i))),u=l(o(Kt(e))),h=Er(t,c),f=Er(t,u);return t==10&&(c<0&&(h=Et(h,-c)),u<0&&(f=Et(f,-u))),n||t==2?(i=h*s,e=f*r):(i=Gd(i,h),e=ya(e,f)),[i,e]}function Cc(i,e,t,n){let s=Sa(i,e,t,n);return i==0&&(s[0]=0),e==0&&(s[1]=0),s}const Pc=.1,af={mode:3,pad:Pc},Jr={pad:0,soft:null,mode:0},OS={min:Jr,max:Jr};function ca(i,e,t,n){return Ea(t)?lf(i,e,t):(Jr.pad=t,Jr.soft=n?0:null,Jr.mode=n?3:0,lf(i,e,OS))}function pt(i,e){return i??e}function FS(i,e,t){for(e=pt(e,0),t=pt(t,i.length-1);e<=t;){if(i[e]!=null)return!0;e++}return!1}function lf(i,e,t){let n=t.min,s=t.max,r=pt(n.pad,0),o=pt(s.pad,0),a=pt(n.hard,-yt),l=pt(s.hard,yt),c=pt(n.soft,yt),u=pt(s.soft,-yt),h=pt(n.mode,0),f=pt(s.mode,0),p=e-i,_=Ni(p),x=bn(Kt(i),Kt(e)),m=Ni(x),d=Kt(m-_);(p<1e-24||d>10)&&(p=0,(i==0||e==0)&&(p=1e-24,h==2&&c!=yt&&(r=0),f==2&&u!=-yt&&(o=0)));let y=p||x||1e3,M=Ni(y),w=Er(10,Gn(M)),V=y*(p==0?i==0?.1:1:r),T=Et(Gd(i-V,w/10),24),C=i>=c&&(h==1||h==3&&T<=c||h==2&&T>=c)?c:yt,U=bn(a,T<C&&i>=C?C:hi(C,T)),E=y*(p==0?e==0?.1:1:o),v=Et(ya(e+E,w/10),24),D=e<=u&&(f==1||f==3&&v>=u||f==2&&v<=u)?u:-yt,H=hi(l,v>D&&e<=D?D:bn(D,v));return U==H&&U==0&&(H=100),[U,H]}const kS=new Intl.NumberFormat(Rr?DS.language:"en-US"),Lc=i=>kS.format(i),Wn=Math,Jo=Wn.PI,Kt=Wn.abs,Gn=Wn.floor,qt=Wn.round,Kn=Wn.ceil,hi=Wn.min,bn=Wn.max,Er=Wn.pow,cf=Wn.sign,Ni=Wn.log10,Bd=Wn.log2,BS=(i,e=1)=>Wn.sinh(i)*e,Dl=(i,e=1)=>Wn.asinh(i/e),yt=1/0;function uf(i){return(Ni((i^i>>31)-(i>>31))|0)+1}function rc(i,e,t){return hi(bn(i,e),t)}function zd(i){return typeof i=="function"}function at(i){return zd(i)?i:()=>i}const zS=()=>{},Hd=i=>i,Vd=(i,e)=>e,HS=i=>null,hf=i=>!0,ff=(i,e)=>i==e,VS=/\.\d*?(?=9{6,}|0{6,})/gm,Cs=i=>{if($d(i)||rs.has(i))return i;const e=`${i}`,t=e.match(VS);if(t==null)return i;let n=t[0].length-1;if(e.indexOf("e-")!=-1){let[s,r]=e.split("e");return+`${Cs(s)}e${r}`}return Et(i,n)};function gs(i,e){return Cs(Et(Cs(i/e))*e)}function ya(i,e){return Cs(Kn(Cs(i/e))*e)}function Gd(i,e){return Cs(Gn(Cs(i/e))*e)}function Et(i,e=0){if($d(i))return i;let t=10**e,n=i*t*(1+Number.EPSILON);return qt(n)/t}const rs=new Map;function Wd(i){return((""+i).split(".")[1]||"").length}function io(i,e,t,n){let s=[],r=n.map(Wd);for(let o=e;o<t;o++){let a=Kt(o),l=Et(Er(i,o),a);for(let c=0;c<n.length;c++){let u=i==10?+`${n[c]}e${o}`:n[c]*l,h=(o>=0?0:a)+(o>=r[c]?0:r[c]),f=i==10?u:Et(u,h);s.push(f),rs.set(f,h)}}return s}const Qr={},Dc=[],br=[null,null],Ji=Array.isArray,$d=Number.isInteger,GS=i=>i===void 0;function df(i){return typeof i=="string"}function Ea(i){let e=!1;if(i!=null){let t=i.constructor;e=t==null||t==Object}return e}function WS(i){return i!=null&&typeof i=="object"}const $S=Object.getPrototypeOf(Uint8Array),Xd="__proto__";function wr(i,e=Ea){let t;if(Ji(i)){let n=i.find(s=>s!=null);if(Ji(n)||e(n)){t=Array(i.length);for(let s=0;s<i.length;s++)t[s]=wr(i[s],e)}else t=i.slice()}else if(i instanceof $S)t=i.slice();else if(e(i)){t={};for(let n in i)n!=Xd&&(t[n]=wr(i[n],e))}else t=i;return t}function Xt(i){let e=arguments;for(let t=1;t<e.length;t++){let n=e[t];for(let s in n)s!=Xd&&(Ea(i[s])?Xt(i[s],wr(n[s])):i[s]=wr(n[s]))}return i}const XS=0,YS=1,qS=2;function jS(i,e,t){for(let n=0,s,r=-1;n<e.length;n++){let o=e[n];if(o>r){for(s=o-1;s>=0&&i[s]==null;)i[s--]=null;for(s=o+1;s<t&&i[s]==null;)i[r=s++]=null}}}function KS(i,e){if(QS(i)){let o=i[0].slice();for(let a=1;a<i.length;a++)o.push(...i[a].slice(1));return ey(o[0])||(o=JS(o)),o}let t=new Set;for(let o=0;o<i.length;o++){let l=i[o][0],c=l.length;for(let u=0;u<c;u++)t.add(l[u])}let n=[Array.from(t).sort((o,a)=>o-a)],s=n[0].length,r=new Map;for(let o=0;o<s;o++)r.set(n[0][o],o);for(let o=0;o<i.length;o++){let a=i[o],l=a[0];for(let c=1;c<a.length;c++){let u=a[c],h=Array(s).fill(void 0),f=e?e[o][c]:YS,p=[];for(let _=0;_<u.length;_++){let x=u[_],m=r.get(l[_]);x===null?f!=XS&&(h[m]=x,f==qS&&p.push(m)):h[m]=x}jS(h,p,s),n.push(h)}}return n}const ZS=typeof queueMicrotask>"u"?i=>Promise.resolve().then(i):queueMicrotask;function JS(i){let e=i[0],t=e.length,n=Array(t);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,o)=>e[r]-e[o]);let s=[];for(let r=0;r<i.length;r++){let o=i[r],a=Array(t);for(let l=0;l<t;l++)a[l]=o[n[l]];s.push(a)}return s}function QS(i){let e=i[0][0],t=e.length;for(let n=1;n<i.length;n++){let s=i[n][0];if(s.length!=t)return!1;if(s!=e){for(let r=0;r<t;r++)if(s[r]!=e[r])return!1}}return!0}function ey(i,e=100){const t=i.length;if(t<=1)return!0;let n=0,s=t-1;for(;n<=s&&i[n]==null;)n++;for(;s>=n&&i[s]==null;)s--;if(s<=n)return!0;const r=bn(1,Gn((s-n+1)/e));for(let o=i[n],a=n+r;a<=s;a+=r){const l=i[a];if(l!=null){if(l<=o)return!1;o=l}}return!0}const Yd=["January","February","March","April","May","June","July","August","September","October","November","December"],qd=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function jd(i){return i.slice(0,3)}const ty=qd.map(jd),ny=Yd.map(jd),iy={MMMM:Yd,MMM:ny,WWWW:qd,WWW:ty};function $r(i){return(i<10?"0":"")+i}function sy(i){return(i<10?"00":i<100?"0":"")+i}const ry={YYYY:i=>i.getFullYear(),YY:i=>(i.getFullYear()+"").slice(2),MMMM:(i,e)=>e.MMMM[i.getMonth()],MMM:(i,e)=>e.MMM[i.getMonth()],MM:i=>$r(i.getMonth()+1),M:i=>i.getMonth()+1,DD:i=>$r(i.getDate()),D:i=>i.getDate(),WWWW:(i,e)=>e.WWWW[i.getDay()],WWW:(i,e)=>e.WWW[i.getDay()],HH:i=>$r(i.getHours()),H:i=>i.getHours(),h:i=>{let e=i.getHours();return e==0?12:e>12?e-12:e},AA:i=>i.getHours()>=12?"PM":"AM",aa:i=>i.getHours()>=12?"pm":"am",a:i=>i.getHours()>=12?"p":"a",mm:i=>$r(i.getMinutes()),m:i=>i.getMinutes(),ss:i=>$r(i.getSeconds()),s:i=>i.getSeconds(),fff:i=>sy(i.getMilliseconds())};function Uc(i,e){e=e||iy;let t=[],n=/\{([a-z]+)\}|[^{]+/gi,s;for(;s=n.exec(i);)t.push(s[0][0]=="{"?ry[s[1]]:s[0]);return r=>{let o="";for(let a=0;a<t.length;a++)o+=typeof t[a]=="string"?t[a]:t[a](r,e);return o}}const oy=new Intl.DateTimeFormat().resolvedOptions().timeZone;function ay(i,e){let t;return e=="UTC"||e=="Etc/UTC"?t=new Date(+i+i.getTimezoneOffset()*6e4):e==oy?t=i:(t=new Date(i.toLocaleString("en-US",{timeZone:e})),t.setMilliseconds(i.getMilliseconds())),t}const Kd=i=>i%1==0,ua=[1,2,2.5,5],ly=io(10,-32,0,ua),Zd=io(10,0,32,ua),cy=Zd.filter(Kd),_s=ly.concat(Zd),Ic=`
`,Jd="{YYYY}",pf=Ic+Jd,Qd="{M}/{D}",jr=Ic+Qd,$o=jr+"/{YY}",ep="{aa}",uy="{h}:{mm}",hr=uy+ep,mf=Ic+hr,gf=":{ss}",_t=null;function tp(i){let e=i*1e3,t=e*60,n=t*60,s=n*24,r=s*30,o=s*365,l=(i==1?io(10,0,3,ua).filter(Kd):io(10,-3,0,ua)).concat([e,e*5,e*10,e*15,e*30,t,t*5,t*10,t*15,t*30,n,n*2,n*3,n*4,n*6,n*8,n*12,s,s*2,s*3,s*4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,r,r*2,r*3,r*4,r*6,o,o*2,o*5,o*10,o*25,o*50,o*100]);const c=[[o,Jd,_t,_t,_t,_t,_t,_t,1],[s*28,"{MMM}",pf,_t,_t,_t,_t,_t,1],[s,Qd,pf,_t,_t,_t,_t,_t,1],[n,"{h}"+ep,$o,_t,jr,_t,_t,_t,1],[t,hr,$o,_t,jr,_t,_t,_t,1],[e,gf,$o+" "+hr,_t,jr+" "+hr,_t,mf,_t,1],[i,gf+".{fff}",$o+" "+hr,_t,jr+" "+hr,_t,mf,_t,1]];function u(h){return(f,p,_,x,m,d)=>{let y=[],M=m>=o,w=m>=r&&m<o,V=h(_),T=Et(V*i,3),C=Ul(V.getFullYear(),M?0:V.getMonth(),w||M?1:V.getDate()),U=Et(C*i,3);if(w||M){let E=w?m/r:0,v=M?m/o:0,D=T==U?T:Et(Ul(C.getFullYear()+v,C.getMonth()+E,1)*i,3),H=new Date(qt(D/i)),L=H.getFullYear(),j=H.getMonth();for(let q=0;D<=x;q++){let te=Ul(L+v*q,j+E*q,1),ie=te-h(Et(te*i,3));D=Et((+te+ie)*i,3),D<=x&&y.push(D)}}else{let E=m>=s?s:m,v=Gn(_)-Gn(T),D=U+v+ya(T-U,E);y.push(D);let H=h(D),L=H.getHours()+H.getMinutes()/t+H.getSeconds()/n,j=m/n,q=f.axes[p]._space,te=d/q;for(;D=Et(D+m,i==1?0:3),!(D>x);)if(j>1){let ie=Gn(Et(L+j,6))%24,G=h(D).getHours()-ie;G>1&&(G=-1),D-=G*n,L=(L+j)%24;let ce=y[y.length-1];Et((D-ce)/m,3)*te>=.7&&y.push(D)}else y.push(D)}return y}}return[l,c,u]}const[hy,fy,dy]=tp(1),[py,my,gy]=tp(.001);io(2,-53,53,[1]);function _f(i,e){return i.map(t=>t.map((n,s)=>s==0||s==8||n==null?n:e(s==1||t[8]==0?n:t[1]+n)))}function vf(i,e){return(t,n,s,r,o)=>{let a=e.find(_=>o>=_[0])||e[e.length-1],l,c,u,h,f,p;return n.map(_=>{let x=i(_),m=x.getFullYear(),d=x.getMonth(),y=x.getDate(),M=x.getHours(),w=x.getMinutes(),V=x.getSeconds(),T=m!=l&&a[2]||d!=c&&a[3]||y!=u&&a[4]||M!=h&&a[5]||w!=f&&a[6]||V!=p&&a[7]||a[1];return l=m,c=d,u=y,h=M,f=w,p=V,T(x)})}}function _y(i,e){let t=Uc(e);return(n,s,r,o,a)=>s.map(l=>t(i(l)))}function Ul(i,e,t){return new Date(i,e,t)}function xf(i,e){return e(i)}const vy="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function Mf(i,e){return(t,n,s,r)=>r==null?Ac:e(i(n))}function xy(i,e){let t=i.series[e];return t.width?t.stroke(i,e):t.points.width?t.points.stroke(i,e):null}function My(i,e){return i.series[e].fill(i,e)}const Sy={show:!0,live:!0,isolate:!1,mount:zS,markers:{show:!0,width:2,stroke:xy,fill:My,dash:"solid"},idx:null,idxs:null,values:[]};function yy(i,e){let t=i.cursor.points,n=jn(),s=t.size(i,e);Ct(n,Yr,s),Ct(n,qr,s);let r=s/-2;Ct(n,"marginLeft",r),Ct(n,"marginTop",r);let o=t.width(i,e,s);return o&&Ct(n,"borderWidth",o),n}function Ey(i,e){let t=i.series[e].points;return t._fill||t._stroke}function by(i,e){let t=i.series[e].points;return t._stroke||t._fill}function wy(i,e){return i.series[e].points.size}const Il=[0,0];function Ty(i,e,t){return Il[0]=e,Il[1]=t,Il}function Xo(i,e,t,n=!0){return s=>{s.button==0&&(!n||s.target==e)&&t(s)}}function Nl(i,e,t,n=!0){return s=>{(!n||s.target==e)&&t(s)}}const Ay={show:!0,x:!0,y:!0,lock:!1,move:Ty,points:{one:!1,show:yy,size:wy,width:0,stroke:by,fill:Ey},bind:{mousedown:Xo,mouseup:Xo,click:Xo,dblclick:Xo,mousemove:Nl,mouseleave:Nl,mouseenter:Nl},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(i,e)=>{e.stopPropagation(),e.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(i,e,t,n,s)=>n-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},np={show:!0,stroke:"rgba(0,0,0,0.07)",width:2},Nc=Xt({},np,{filter:Vd}),ip=Xt({},Nc,{size:10}),sp=Xt({},np,{show:!1}),Oc='12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',rp="bold "+Oc,op=1.5,Sf={show:!0,scale:"x",stroke:Tc,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:rp,side:2,grid:Nc,ticks:ip,border:sp,font:Oc,lineGap:op,rotate:0},Ry="Value",Cy="Time",yf={show:!0,scale:"x",auto:!1,sorted:1,min:yt,max:-yt,idxs:[]};function Py(i,e,t,n,s){return e.map(r=>r==null?"":Lc(r))}function Ly(i,e,t,n,s,r,o){let a=[],l=rs.get(s)||0;t=o?t:Et(ya(t,s),l);for(let c=t;c<=n;c=Et(c+s,l))a.push(Object.is(c,-0)?0:c);return a}function oc(i,e,t,n,s,r,o){const a=[],l=i.scales[i.axes[e].scale].log,c=l==10?Ni:Bd,u=Gn(c(t));s=Er(l,u),l==10&&(s=_s[li(s,_s)]);let h=t,f=s*l;l==10&&(f=_s[li(f,_s)]);do a.push(h),h=h+s,l==10&&!rs.has(h)&&(h=Et(h,rs.get(s))),h>=f&&(s=h,f=s*l,l==10&&(f=_s[li(f,_s)]));while(h<=n);return a}function Dy(i,e,t,n,s,r,o){let l=i.scales[i.axes[e].scale].asinh,c=n>l?oc(i,e,bn(l,t),n,s):[l],u=n>=0&&t<=0?[0]:[];return(t<-l?oc(i,e,bn(l,-n),-t,s):[l]).reverse().map(f=>-f).concat(u,c)}const ap=/./,Uy=/[12357]/,Iy=/[125]/,Ef=/1/,ac=(i,e,t,n)=>i.map((s,r)=>e==4&&s==0||r%n==0&&t.test(s.toExponential()[s<0?1:0])?s:null);function Ny(i,e,t,n,s){let r=i.axes[t],o=r.scale,a=i.scales[o],l=i.valToPos,c=r._space,u=l(10,o),h=l(9,o)-u>=c?ap:l(7,o)-u>=c?Uy:l(5,o)-u>=c?Iy:Ef;if(h==Ef){let f=Kt(l(1,o)-u);if(f<c)return ac(e.slice().reverse(),a.distr,h,Kn(c/f)).reverse()}return ac(e,a.distr,h,1)}function Oy(i,e,t,n,s){let r=i.axes[t],o=r.scale,a=r._space,l=i.valToPos,c=Kt(l(1,o)-l(2,o));return c<a?ac(e.slice().reverse(),3,ap,Kn(a/c)).reverse():e}function Fy(i,e,t,n){return n==null?Ac:e==null?"":Lc(e)}const bf={show:!0,scale:"y",stroke:Tc,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:rp,side:3,grid:Nc,ticks:ip,border:sp,font:Oc,lineGap:op,rotate:0};function ky(i,e){let t=3+(i||1)*2;return Et(t*e,3)}function By(i,e){let{scale:t,idxs:n}=i.series[0],s=i._data[0],r=i.valToPos(s[n[0]],t,!0),o=i.valToPos(s[n[1]],t,!0),a=Kt(o-r),l=i.series[e],c=a/(l.points.space*gt);return n[1]-n[0]<=c}const wf={scale:null,auto:!0,sorted:0,min:yt,max:-yt},lp=(i,e,t,n,s)=>s,Tf={show:!0,auto:!0,sorted:0,gaps:lp,alpha:1,facets:[Xt({},wf,{scale:"x"}),Xt({},wf,{scale:"y"})]},Af={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,gaps:lp,alpha:1,points:{show:By,filter:null},values:null,min:yt,max:-yt,idxs:[],path:null,clip:null};function zy(i,e,t,n,s){return t/10}const cp={time:hS,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},Hy=Xt({},cp,{time:!1,ori:1}),Rf={};function up(i,e){let t=Rf[i];return t||(t={key:i,plots:[],sub(n){t.plots.push(n)},unsub(n){t.plots=t.plots.filter(s=>s!=n)},pub(n,s,r,o,a,l,c){for(let u=0;u<t.plots.length;u++)t.plots[u]!=s&&t.plots[u].pub(n,s,r,o,a,l,c)}},i!=null&&(Rf[i]=t)),t}const Tr=1,lc=2;function Ls(i,e,t){const n=i.mode,s=i.series[e],r=n==2?i._data[e]:i._data,o=i.scales,a=i.bbox;let l=r[0],c=n==2?r[1]:r[e],u=n==2?o[s.facets[0].scale]:o[i.series[0].scale],h=n==2?o[s.facets[1].scale]:o[s.scale],f=a.left,p=a.top,_=a.width,x=a.height,m=i.valToPosH,d=i.valToPosV;return u.ori==0?t(s,l,c,u,h,m,d,f,p,_,x,wa,Cr,Aa,fp,pp):t(s,l,c,u,h,d,m,p,f,x,_,Ta,Pr,Bc,dp,mp)}function Fc(i,e){let t=0,n=0,s=pt(i.bands,Dc);for(let r=0;r<s.length;r++){let o=s[r];o.series[0]==e?t=o.dir:o.series[1]==e&&(o.dir==1?n|=1:n|=2)}return[t,n==1?-1:n==2?1:n==3?2:0]}function Vy(i,e,t,n,s){let r=i.mode,o=i.series[e],a=r==2?o.facets[1].scale:o.scale,l=i.scales[a];return s==-1?l.min:s==1?l.max:l.distr==3?l.dir==1?l.min:l.max:0}function Oi(i,e,t,n,s,r){return Ls(i,e,(o,a,l,c,u,h,f,p,_,x,m)=>{let d=o.pxRound;const y=c.dir*(c.ori==0?1:-1),M=c.ori==0?Cr:Pr;let w,V;y==1?(w=t,V=n):(w=n,V=t);let T=d(h(a[w],c,x,p)),C=d(f(l[w],u,m,_)),U=d(h(a[V],c,x,p)),E=d(f(r==1?u.max:u.min,u,m,_)),v=new Path2D(s);return M(v,U,E),M(v,T,E),M(v,T,C),v})}function ba(i,e,t,n,s,r){let o=null;if(i.length>0){o=new Path2D;const a=e==0?Aa:Bc;let l=t;for(let h=0;h<i.length;h++){let f=i[h];if(f[1]>f[0]){let p=f[0]-l;p>0&&a(o,l,n,p,n+r),l=f[1]}}let c=t+s-l,u=10;c>0&&a(o,l,n-u/2,c,n+r+u)}return o}function Gy(i,e,t){let n=i[i.length-1];n&&n[0]==e?n[1]=t:i.push([e,t])}function kc(i,e,t,n,s,r,o){let a=[],l=i.length;for(let c=s==1?t:n;c>=t&&c<=n;c+=s)if(e[c]===null){let h=c,f=c;if(s==1)for(;++c<=n&&e[c]===null;)f=c;else for(;--c>=t&&e[c]===null;)f=c;let p=r(i[h]),_=f==h?p:r(i[f]),x=h-s;p=o<=0&&x>=0&&x<l?r(i[x]):p;let d=f+s;_=o>=0&&d>=0&&d<l?r(i[d]):_,_>=p&&a.push([p,_])}return a}function Cf(i){return i==0?Hd:i==1?qt:e=>gs(e,i)}function hp(i){let e=i==0?wa:Ta,t=i==0?(s,r,o,a,l,c)=>{s.arcTo(r,o,a,l,c)}:(s,r,o,a,l,c)=>{s.arcTo(o,r,l,a,c)},n=i==0?(s,r,o,a,l)=>{s.rect(r,o,a,l)}:(s,r,o,a,l)=>{s.rect(o,r,l,a)};return(s,r,o,a,l,c=0,u=0)=>{c==0&&u==0?n(s,r,o,a,l):(c=hi(c,a/2,l/2),u=hi(u,a/2,l/2),e(s,r+c,o),t(s,r+a,o,r+a,o+l,c),t(s,r+a,o+l,r,o+l,u),t(s,r,o+l,r,o,u),t(s,r,o,r+a,o,c),s.closePath())}}const wa=(i,e,t)=>{i.moveTo(e,t)},Ta=(i,e,t)=>{i.moveTo(t,e)},Cr=(i,e,t)=>{i.lineTo(e,t)},Pr=(i,e,t)=>{i.lineTo(t,e)},Aa=hp(0),Bc=hp(1),fp=(i,e,t,n,s,r)=>{i.arc(e,t,n,s,r)},dp=(i,e,t,n,s,r)=>{i.arc(t,e,n,s,r)},pp=(i,e,t,n,s,r,o)=>{i.bezierCurveTo(e,t,n,s,r,o)},mp=(i,e,t,n,s,r,o)=>{i.bezierCurveTo(t,e,s,n,o,r)};function gp(i){return(e,t,n,s,r)=>Ls(e,t,(o,a,l,c,u,h,f,p,_,x,m)=>{let{pxRound:d,points:y}=o,M,w;c.ori==0?(M=wa,w=fp):(M=Ta,w=dp);const V=Et(y.width*gt,3);let T=(y.size-y.width)/2*gt,C=Et(T*2,3),U=new Path2D,E=new Path2D,{left:v,top:D,width:H,height:L}=e.bbox;Aa(E,v-C,D-C,H+C*2,L+C*2);const j=q=>{if(l[q]!=null){let te=d(h(a[q],c,x,p)),ie=d(f(l[q],u,m,_));M(U,te+T,ie),w(U,te,ie,T,0,Jo*2)}};if(r)r.forEach(j);else for(let q=n;q<=s;q++)j(q);return{stroke:V>0?U:null,fill:U,clip:E,flags:Tr|lc}})}function _p(i){return(e,t,n,s,r,o)=>{n!=s&&(r!=n&&o!=n&&i(e,t,n),r!=s&&o!=s&&i(e,t,s),i(e,t,o))}}const Wy=_p(Cr),$y=_p(Pr);function vp(i){const e=pt(i?.alignGaps,0);return(t,n,s,r)=>Ls(t,n,(o,a,l,c,u,h,f,p,_,x,m)=>{[s,r]=Ma(l,s,r);let d=o.pxRound,y=L=>d(h(L,c,x,p)),M=L=>d(f(L,u,m,_)),w,V;c.ori==0?(w=Cr,V=Wy):(w=Pr,V=$y);const T=c.dir*(c.ori==0?1:-1),C={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:Tr},U=C.stroke;let E=!1;if(r-s>=x*4){let L=B=>t.posToVal(B,c.key,!0),j=null,q=null,te,ie,ne,fe=y(a[T==1?s:r]),G=y(a[s]),ce=y(a[r]),F=L(T==1?G+1:ce-1);for(let B=T==1?s:r;B>=s&&B<=r;B+=T){let N=a[B],J=(T==1?N<F:N>F)?fe:y(N),Q=l[B];J==fe?Q!=null?(ie=Q,j==null?(w(U,J,M(ie)),te=j=q=ie):ie<j?j=ie:ie>q&&(q=ie)):Q===null&&(E=!0):(j!=null&&V(U,fe,M(j),M(q),M(te),M(ie)),Q!=null?(ie=Q,w(U,J,M(ie)),j=q=te=ie):(j=q=null,Q===null&&(E=!0)),fe=J,F=L(fe+T))}j!=null&&j!=q&&ne!=fe&&V(U,fe,M(j),M(q),M(te),M(ie))}else for(let L=T==1?s:r;L>=s&&L<=r;L+=T){let j=l[L];j===null?E=!0:j!=null&&w(U,y(a[L]),M(j))}let[D,H]=Fc(t,n);if(o.fill!=null||D!=0){let L=C.fill=new Path2D(U),j=o.fillTo(t,n,o.min,o.max,D),q=M(j),te=y(a[s]),ie=y(a[r]);T==-1&&([ie,te]=[te,ie]),w(L,ie,q),w(L,te,q)}if(!o.spanGaps){let L=[];E&&L.push(...kc(a,l,s,r,T,y,e)),C.gaps=L=o.gaps(t,n,s,r,L),C.clip=ba(L,c.ori,p,_,x,m)}return H!=0&&(C.band=H==2?[Oi(t,n,s,r,U,-1),Oi(t,n,s,r,U,1)]:Oi(t,n,s,r,U,H)),C})}function Xy(i){const e=pt(i.align,1),t=pt(i.ascDesc,!1),n=pt(i.alignGaps,0),s=pt(i.extend,!1);return(r,o,a,l)=>Ls(r,o,(c,u,h,f,p,_,x,m,d,y,M)=>{[a,l]=Ma(h,a,l);let w=c.pxRound,{left:V,width:T}=r.bbox,C=G=>w(_(G,f,y,m)),U=G=>w(x(G,p,M,d)),E=f.ori==0?Cr:Pr;const v={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:Tr},D=v.stroke,H=f.dir*(f.ori==0?1:-1);let L=U(h[H==1?a:l]),j=C(u[H==1?a:l]),q=j,te=j;s&&e==-1&&(te=V,E(D,te,L)),E(D,j,L);for(let G=H==1?a:l;G>=a&&G<=l;G+=H){let ce=h[G];if(ce==null)continue;let F=C(u[G]),B=U(ce);e==1?E(D,F,L):E(D,q,B),E(D,F,B),L=B,q=F}let ie=q;s&&e==1&&(ie=V+T,E(D,ie,L));let[ne,fe]=Fc(r,o);if(c.fill!=null||ne!=0){let G=v.fill=new Path2D(D),ce=c.fillTo(r,o,c.min,c.max,ne),F=U(ce);E(G,ie,F),E(G,te,F)}if(!c.spanGaps){let G=[];G.push(...kc(u,h,a,l,H,C,n));let ce=c.width*gt/2,F=t||e==1?ce:-ce,B=t||e==-1?-ce:ce;G.forEach(N=>{N[0]+=F,N[1]+=B}),v.gaps=G=c.gaps(r,o,a,l,G),v.clip=ba(G,f.ori,m,d,y,M)}return fe!=0&&(v.band=fe==2?[Oi(r,o,a,l,D,-1),Oi(r,o,a,l,D,1)]:Oi(r,o,a,l,D,fe)),v})}function Pf(i,e,t,n,s,r,o=yt){if(i.length>1){let a=null;for(let l=0,c=1/0;l<i.length;l++)if(e[l]!==void 0){if(a!=null){let u=Kt(i[l]-i[a]);u<c&&(c=u,o=Kt(t(i[l],n,s,r)-t(i[a],n,s,r)))}a=l}}return o}function Yy(i){i=i||Qr;const e=pt(i.size,[.6,yt,1]),t=i.align||0,n=i.gap||0;let s=i.radius;s=s==null?[0,0]:typeof s=="number"?[s,0]:s;const r=at(s),o=1-e[0],a=pt(e[1],yt),l=pt(e[2],1),c=pt(i.disp,Qr),u=pt(i.each,p=>{}),{fill:h,stroke:f}=c;return(p,_,x,m)=>Ls(p,_,(d,y,M,w,V,T,C,U,E,v,D)=>{let H=d.pxRound,L=t,j=n*gt,q=a*gt,te=l*gt,ie,ne;w.ori==0?[ie,ne]=r(p,_):[ne,ie]=r(p,_);const fe=w.dir*(w.ori==0?1:-1);let G=w.ori==0?Aa:Bc,ce=w.ori==0?u:(me,Se,be,Ye,Ae,ke,et)=>{u(me,Se,be,Ae,Ye,et,ke)},F=pt(p.bands,Dc).find(me=>me.series[0]==_),B=F!=null?F.dir:0,N=d.fillTo(p,_,d.min,d.max,B),W=H(C(N,V,D,E)),J,Q,K,X=v,O=H(d.width*gt),pe=!1,de=null,Ee=null,xe=null,we=null;h!=null&&(O==0||f!=null)&&(pe=!0,de=h.values(p,_,x,m),Ee=new Map,new Set(de).forEach(me=>{me!=null&&Ee.set(me,new Path2D)}),O>0&&(xe=f.values(p,_,x,m),we=new Map,new Set(xe).forEach(me=>{me!=null&&we.set(me,new Path2D)})));let{x0:Re,size:Ge}=c;if(Re!=null&&Ge!=null){L=1,y=Re.values(p,_,x,m),Re.unit==2&&(y=y.map(be=>p.posToVal(U+be*v,w.key,!0)));let me=Ge.values(p,_,x,m);Ge.unit==2?Q=me[0]*v:Q=T(me[0],w,v,U)-T(0,w,v,U),X=Pf(y,M,T,w,v,U,X),K=X-Q+j}else X=Pf(y,M,T,w,v,U,X),K=X*o+j,Q=X-K;K<1&&(K=0),O>=Q/2&&(O=0),K<5&&(H=Hd);let ht=K>0,z=X-K-(ht?O:0);Q=H(rc(z,te,q)),J=(L==0?Q/2:L==fe?0:Q)-L*fe*((L==0?j/2:0)+(ht?O/2:0));const R={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},ae=pe?null:new Path2D;let ge=null;if(F!=null)ge=p.data[F.series[1]];else{let{y0:me,y1:Se}=c;me!=null&&Se!=null&&(M=Se.values(p,_,x,m),ge=me.values(p,_,x,m))}let Me=ie*Q,he=ne*Q;for(let me=fe==1?x:m;me>=x&&me<=m;me+=fe){let Se=M[me];if(Se==null)continue;if(ge!=null){let Ve=ge[me]??0;if(Se-Ve==0)continue;W=C(Ve,V,D,E)}let be=w.distr!=2||c!=null?y[me]:me,Ye=T(be,w,v,U),Ae=C(pt(Se,N),V,D,E),ke=H(Ye-J),et=H(bn(Ae,W)),Be=H(hi(Ae,W)),Le=et-Be;if(Se!=null){let Ve=Se<0?he:Me,qe=Se<0?Me:he;pe?(O>0&&xe[me]!=null&&G(we.get(xe[me]),ke,Be+Gn(O/2),Q,bn(0,Le-O),Ve,qe),de[me]!=null&&G(Ee.get(de[me]),ke,Be+Gn(O/2),Q,bn(0,Le-O),Ve,qe)):G(ae,ke,Be+Gn(O/2),Q,bn(0,Le-O),Ve,qe),ce(p,_,me,ke-O/2,Be,Q+O,Le)}}return O>0?R.stroke=pe?we:ae:pe||(R._fill=d.width==0?d._fill:d._stroke??d._fill,R.width=0),R.fill=pe?Ee:ae,R})}function qy(i,e){const t=pt(e?.alignGaps,0);return(n,s,r,o)=>Ls(n,s,(a,l,c,u,h,f,p,_,x,m,d)=>{[r,o]=Ma(c,r,o);let y=a.pxRound,M=ie=>y(f(ie,u,m,_)),w=ie=>y(p(ie,h,d,x)),V,T,C;u.ori==0?(V=wa,C=Cr,T=pp):(V=Ta,C=Pr,T=mp);const U=u.dir*(u.ori==0?1:-1);let E=M(l[U==1?r:o]),v=E,D=[],H=[];for(let ie=U==1?r:o;ie>=r&&ie<=o;ie+=U)if(c[ie]!=null){let fe=l[ie],G=M(fe);D.push(v=G),H.push(w(c[ie]))}const L={stroke:i(D,H,V,C,T,y),fill:null,clip:null,band:null,gaps:null,flags:Tr},j=L.stroke;let[q,te]=Fc(n,s);if(a.fill!=null||q!=0){let ie=L.fill=new Path2D(j),ne=a.fillTo(n,s,a.min,a.max,q),fe=w(ne);C(ie,v,fe),C(ie,E,fe)}if(!a.spanGaps){let ie=[];ie.push(...kc(l,c,r,o,U,M,t)),L.gaps=ie=a.gaps(n,s,r,o,ie),L.clip=ba(ie,u.ori,_,x,m,d)}return te!=0&&(L.band=te==2?[Oi(n,s,r,o,j,-1),Oi(n,s,r,o,j,1)]:Oi(n,s,r,o,j,te)),L})}function jy(i){return qy(Ky,i)}function Ky(i,e,t,n,s,r){const o=i.length;if(o<2)return null;const a=new Path2D;if(t(a,i[0],e[0]),o==2)n(a,i[1],e[1]);else{let l=Array(o),c=Array(o-1),u=Array(o-1),h=Array(o-1);for(let f=0;f<o-1;f++)u[f]=e[f+1]-e[f],h[f]=i[f+1]-i[f],c[f]=u[f]/h[f];l[0]=c[0];for(let f=1;f<o-1;f++)c[f]===0||c[f-1]===0||c[f-1]>0!=c[f]>0?l[f]=0:(l[f]=3*(h[f-1]+h[f])/((2*h[f]+h[f-1])/c[f-1]+(h[f]+2*h[f-1])/c[f]),isFinite(l[f])||(l[f]=0));l[o-1]=c[o-2];for(let f=0;f<o-1;f++)s(a,i[f]+h[f]/3,e[f]+l[f]*h[f]/3,i[f+1]-h[f]/3,e[f+1]-l[f+1]*h[f]/3,i[f+1],e[f+1])}return a}const cc=new Set;function Lf(){for(let i of cc)i.syncRect(!0)}Rr&&(ws(PS,_r,Lf),ws(LS,_r,Lf,!0),ws(la,_r,()=>{vn.pxRatio=gt}));const Zy=vp(),Jy=gp();function Df(i,e,t,n){return(n?[i[0],i[1]].concat(i.slice(2)):[i[0]].concat(i.slice(1))).map((r,o)=>uc(r,o,e,t))}function Qy(i,e){return i.map((t,n)=>n==0?{}:Xt({},e,t))}function uc(i,e,t,n){return Xt({},e==0?t:n,i)}function xp(i,e,t){return e==null?br:[e,t]}const eE=xp;function tE(i,e,t){return e==null?br:ca(e,t,Pc,!0)}function Mp(i,e,t,n){return e==null?br:Sa(e,t,i.scales[n].log,!1)}const nE=Mp;function Sp(i,e,t,n){return e==null?br:Cc(e,t,i.scales[n].log,!1)}const iE=Sp;function sE(i,e,t,n,s){let r=bn(uf(i),uf(e)),o=e-i,a=li(s/n*o,t);do{let l=t[a],c=n*l/o;if(c>=s&&r+(l<5?rs.get(l):0)<=17)return[l,c]}while(++a<t.length);return[0,0]}function Uf(i){let e,t;return i=i.replace(/(\d+)px/,(n,s)=>(e=qt((t=+s)*gt))+"px"),[i,e,t]}function rE(i){i.show&&[i.font,i.labelFont].forEach(e=>{let t=Et(e[2]*gt,1);e[0]=e[0].replace(/[0-9.]+px/,t+"px"),e[1]=t})}function vn(i,e,t){const n={mode:pt(i.mode,1)},s=n.mode;function r(g,b,I,k){let $=b.valToPct(g);return k+I*(b.dir==-1?1-$:$)}function o(g,b,I,k){let $=b.valToPct(g);return k+I*(b.dir==-1?$:1-$)}function a(g,b,I,k){return b.ori==0?r(g,b,I,k):o(g,b,I,k)}n.valToPosH=r,n.valToPosV=o;let l=!1;n.status=0;const c=n.root=jn(fS);if(i.id!=null&&(c.id=i.id),zn(c,i.class),i.title){let g=jn(mS,c);g.textContent=i.title}const u=ai("canvas"),h=n.ctx=u.getContext("2d"),f=jn(gS,c);ws("click",f,g=>{g.target===_&&(Tt!=Bs||Ut!=zs)&&cn.click(n,g)},!0);const p=n.under=jn(_S,f);f.appendChild(u);const _=n.over=jn(vS,f);i=wr(i);const x=+pt(i.pxAlign,1),m=Cf(x);(i.plugins||[]).forEach(g=>{g.opts&&(i=g.opts(n,i)||i)});const d=i.ms||.001,y=n.series=s==1?Df(i.series||[],yf,Af,!1):Qy(i.series||[null],Tf),M=n.axes=Df(i.axes||[],Sf,bf,!0),w=n.scales={},V=n.bands=i.bands||[];V.forEach(g=>{g.fill=at(g.fill||null),g.dir=pt(g.dir,-1)});const T=s==2?y[1].facets[0].scale:y[0].scale,C={axes:Cp,series:Pa},U=(i.drawOrder||["axes","series"]).map(g=>C[g]);function E(g){const b=g.distr==3?I=>Ni(I>0?I:g.clamp(n,I,g.min,g.max,g.key)):g.distr==4?I=>Dl(I,g.asinh):g.distr==100?I=>g.fwd(I):I=>I;return I=>{let k=b(I),{_min:$,_max:se}=g,_e=se-$;return(k-$)/_e}}function v(g){let b=w[g];if(b==null){let I=(i.scales||Qr)[g]||Qr;if(I.from!=null){v(I.from);let k=Xt({},w[I.from],I,{key:g});k.valToPct=E(k),w[g]=k}else{b=w[g]=Xt({},g==T?cp:Hy,I),b.key=g;let k=b.time,$=b.range,se=Ji($);if((g!=T||s==2&&!k)&&(se&&($[0]==null||$[1]==null)&&($={min:$[0]==null?af:{mode:1,hard:$[0],soft:$[0]},max:$[1]==null?af:{mode:1,hard:$[1],soft:$[1]}},se=!1),!se&&Ea($))){let _e=$;$=(ye,Ce,Ne)=>Ce==null?br:ca(Ce,Ne,_e)}b.range=at($||(k?eE:g==T?b.distr==3?nE:b.distr==4?iE:xp:b.distr==3?Mp:b.distr==4?Sp:tE)),b.auto=at(se?!1:b.auto),b.clamp=at(b.clamp||zy),b._min=b._max=null,b.valToPct=E(b)}}}v("x"),v("y"),s==1&&y.forEach(g=>{v(g.scale)}),M.forEach(g=>{v(g.scale)});for(let g in i.scales)v(g);const D=w[T],H=D.distr;let L,j;D.ori==0?(zn(c,dS),L=r,j=o):(zn(c,pS),L=o,j=r);const q={};for(let g in w){let b=w[g];(b.min!=null||b.max!=null)&&(q[g]={min:b.min,max:b.max},b.min=b.max=null)}const te=i.tzDate||(g=>new Date(qt(g/d))),ie=i.fmtDate||Uc,ne=d==1?dy(te):gy(te),fe=vf(te,_f(d==1?fy:my,ie)),G=Mf(te,xf(vy,ie)),ce=[],F=n.legend=Xt({},Sy,i.legend),B=n.cursor=Xt({},Ay,{drag:{y:s==2}},i.cursor),N=F.show,W=B.show,J=F.markers;F.idxs=ce,J.width=at(J.width),J.dash=at(J.dash),J.stroke=at(J.stroke),J.fill=at(J.fill);let Q,K,X,O=[],pe=[],de,Ee=!1,xe={};if(F.live){const g=y[1]?y[1].values:null;Ee=g!=null,de=Ee?g(n,1,0):{_:0};for(let b in de)xe[b]=Ac}if(N)if(Q=ai("table",bS,c),X=ai("tbody",null,Q),F.mount(n,Q),Ee){K=ai("thead",null,Q,X);let g=ai("tr",null,K);ai("th",null,g);for(var we in de)ai("th",Yh,g).textContent=we}else zn(Q,TS),F.live&&zn(Q,wS);const Re={show:!0},Ge={show:!1};function ht(g,b){if(b==0&&(Ee||!F.live||s==2))return br;let I=[],k=ai("tr",AS,X,X.childNodes[b]);zn(k,g.class),g.show||zn(k,Ss);let $=ai("th",null,k);if(J.show){let ye=jn(RS,$);if(b>0){let Ce=J.width(n,b);Ce&&(ye.style.border=Ce+"px "+J.dash(n,b)+" "+J.stroke(n,b)),ye.style.background=J.fill(n,b)}}let se=jn(Yh,$);g.label instanceof HTMLElement?se.appendChild(g.label):se.textContent=g.label,b>0&&(J.show||(se.style.color=g.width>0?J.stroke(n,b):J.fill(n,b)),R("click",$,ye=>{if(B._lock)return;ut(ye);let Ce=y.indexOf(g);if((ye.ctrlKey||ye.metaKey)!=F.isolate){let Ne=y.some((Oe,Fe)=>Fe>0&&Fe!=Ce&&Oe.show);y.forEach((Oe,Fe)=>{Fe>0&&pi(Fe,Ne?Fe==Ce?Re:Ge:Re,!0,Wt.setSeries)})}else pi(Ce,{show:!g.show},!0,Wt.setSeries)},!1),xn&&R(Zh,$,ye=>{B._lock||(ut(ye),pi(y.indexOf(g),Vs,!0,Wt.setSeries))},!1));for(var _e in de){let ye=ai("td",CS,k);ye.textContent="--",I.push(ye)}return[k,I]}const z=new Map;function R(g,b,I,k=!0){const $=z.get(b)||{},se=B.bind[g](n,b,I,k);se&&(ws(g,b,$[g]=se),z.set(b,$))}function ae(g,b,I){const k=z.get(b)||{};for(let $ in k)(g==null||$==g)&&(sc($,b,k[$]),delete k[$]);g==null&&z.delete(b)}let ge=0,Me=0,he=0,me=0,Se=0,be=0,Ye=Se,Ae=be,ke=he,et=me,Be=0,Le=0,Ve=0,qe=0;n.bbox={};let ft=!1,Je=!1,S=!1,Z=!1,re=!1,ve=!1;function Pe(g,b,I){(I||g!=n.width||b!=n.height)&&tt(g,b),Ns(!1),S=!0,Je=!0,Os()}function tt(g,b){n.width=ge=he=g,n.height=Me=me=b,Se=be=0,lt(),Nt();let I=n.bbox;Be=I.left=gs(Se*gt,.5),Le=I.top=gs(be*gt,.5),Ve=I.width=gs(he*gt,.5),qe=I.height=gs(me*gt,.5)}const it=3;function bt(){let g=!1,b=0;for(;!g;){b++;let I=Ap(b),k=Rp(b);g=b==it||I&&k,g||(tt(n.width,n.height),Je=!0)}}function Ht({width:g,height:b}){Pe(g,b)}n.setSize=Ht;function lt(){let g=!1,b=!1,I=!1,k=!1;M.forEach(($,se)=>{if($.show&&$._show){let{side:_e,_size:ye}=$,Ce=_e%2,Ne=$.label!=null?$.labelSize:0,Oe=ye+Ne;Oe>0&&(Ce?(he-=Oe,_e==3?(Se+=Oe,k=!0):I=!0):(me-=Oe,_e==0?(be+=Oe,g=!0):b=!0))}}),P[0]=g,P[1]=I,P[2]=b,P[3]=k,he-=oe[1]+oe[3],Se+=oe[3],me-=oe[2]+oe[0],be+=oe[0]}function Nt(){let g=Se+he,b=be+me,I=Se,k=be;function $(se,_e){switch(se){case 1:return g+=_e,g-_e;case 2:return b+=_e,b-_e;case 3:return I-=_e,I+_e;case 0:return k-=_e,k+_e}}M.forEach((se,_e)=>{if(se.show&&se._show){let ye=se.side;se._pos=$(ye,se._size),se.label!=null&&(se._lpos=$(ye,se.labelSize))}})}if(B.dataIdx==null){let g=B.hover,b=g.skip=new Set(g.skip??[]);b.add(void 0);let I=g.prox=at(g.prox),k=g.bias??=0;B.dataIdx=($,se,_e,ye)=>{if(se==0)return _e;let Ce=_e,Ne=I($,se,_e,ye)??yt,Oe=Ne>=0&&Ne<yt,Fe=D.ori==0?he:me,Qe=B.left,mt=e[0],dt=e[se];if(b.has(dt[_e])){Ce=null;let ot=null,je=null,He;if(k==0||k==-1)for(He=_e;ot==null&&He-- >0;)b.has(dt[He])||(ot=He);if(k==0||k==1)for(He=_e;je==null&&He++<dt.length;)b.has(dt[He])||(je=He);if(ot!=null||je!=null)if(Oe){let Rt=ot==null?-1/0:L(mt[ot],D,Fe,0),Ot=je==null?1/0:L(mt[je],D,Fe,0),on=Qe-Rt,Mt=Ot-Qe;on<=Mt?on<=Ne&&(Ce=ot):Mt<=Ne&&(Ce=je)}else Ce=je==null?ot:ot==null?je:_e-ot<=je-_e?ot:je}else Oe&&Kt(Qe-L(mt[_e],D,Fe,0))>Ne&&(Ce=null);return Ce}}const ut=g=>{B.event=g};B.idxs=ce,B._lock=!1;let wt=B.points;wt.show=at(wt.show),wt.size=at(wt.size),wt.stroke=at(wt.stroke),wt.width=at(wt.width),wt.fill=at(wt.fill);const It=n.focus=Xt({},i.focus||{alpha:.3},B.focus),xn=It.prox>=0,dn=xn&&wt.one;let tn=[],Qn=[],bi=[];function Lr(g,b){let I=wt.show(n,b);if(I instanceof HTMLElement)return zn(I,ES),zn(I,g.class),vi(I,-10,-10,he,me),_.insertBefore(I,tn[b]),I}function ho(g,b){if(s==1||b>0){let I=s==1&&w[g.scale].time,k=g.value;g.value=I?df(k)?Mf(te,xf(k,ie)):k||G:k||Fy,g.label=g.label||(I?Cy:Ry)}if(dn||b>0){g.width=g.width==null?1:g.width,g.paths=g.paths||Zy||HS,g.fillTo=at(g.fillTo||Vy),g.pxAlign=+pt(g.pxAlign,x),g.pxRound=Cf(g.pxAlign),g.stroke=at(g.stroke||null),g.fill=at(g.fill||null),g._stroke=g._fill=g._paths=g._focus=null;let I=ky(bn(1,g.width),1),k=g.points=Xt({},{size:I,width:bn(1,I*.2),stroke:g.stroke,space:I*2,paths:Jy,_stroke:null,_fill:null},g.points);k.show=at(k.show),k.filter=at(k.filter),k.fill=at(k.fill),k.stroke=at(k.stroke),k.paths=at(k.paths),k.pxAlign=g.pxAlign}if(N){let I=ht(g,b);O.splice(b,0,I[0]),pe.splice(b,0,I[1]),F.values.push(null)}if(W){ce.splice(b,0,null);let I=null;dn?b==0&&(I=Lr(g,b)):b>0&&(I=Lr(g,b)),tn.splice(b,0,I),Qn.splice(b,0,0),bi.splice(b,0,0)}rn("addSeries",b)}function Ra(g,b){b=b??y.length,g=s==1?uc(g,b,yf,Af):uc(g,b,{},Tf),y.splice(b,0,g),ho(y[b],b)}n.addSeries=Ra;function Ca(g){if(y.splice(g,1),N){F.values.splice(g,1),pe.splice(g,1);let b=O.splice(g,1)[0];ae(null,b.firstChild),b.remove()}W&&(ce.splice(g,1),tn.splice(g,1)[0].remove(),Qn.splice(g,1),bi.splice(g,1)),rn("delSeries",g)}n.delSeries=Ca;const P=[!1,!1,!1,!1];function ee(g,b){if(g._show=g.show,g.show){let I=g.side%2,k=w[g.scale];k==null&&(g.scale=I?y[1].scale:T,k=w[g.scale]);let $=k.time;g.size=at(g.size),g.space=at(g.space),g.rotate=at(g.rotate),Ji(g.incrs)&&g.incrs.forEach(_e=>{!rs.has(_e)&&rs.set(_e,Wd(_e))}),g.incrs=at(g.incrs||(k.distr==2?cy:$?d==1?hy:py:_s)),g.splits=at(g.splits||($&&k.distr==1?ne:k.distr==3?oc:k.distr==4?Dy:Ly)),g.stroke=at(g.stroke),g.grid.stroke=at(g.grid.stroke),g.ticks.stroke=at(g.ticks.stroke),g.border.stroke=at(g.border.stroke);let se=g.values;g.values=Ji(se)&&!Ji(se[0])?at(se):$?Ji(se)?vf(te,_f(se,ie)):df(se)?_y(te,se):se||fe:se||Py,g.filter=at(g.filter||(k.distr>=3&&k.log==10?Ny:k.distr==3&&k.log==2?Oy:Vd)),g.font=Uf(g.font),g.labelFont=Uf(g.labelFont),g._size=g.size(n,null,b,0),g._space=g._rotate=g._incrs=g._found=g._splits=g._values=null,g._size>0&&(P[b]=!0,g._el=jn(xS,f))}}function ue(g,b,I,k){let[$,se,_e,ye]=I,Ce=b%2,Ne=0;return Ce==0&&(ye||se)&&(Ne=b==0&&!$||b==2&&!_e?qt(Sf.size/3):0),Ce==1&&($||_e)&&(Ne=b==1&&!se||b==3&&!ye?qt(bf.size/2):0),Ne}const le=n.padding=(i.padding||[ue,ue,ue,ue]).map(g=>at(pt(g,ue))),oe=n._padding=le.map((g,b)=>g(n,b,P,0));let Te,De=null,Ue=null;const $e=s==1?y[0].idxs:null;let We=null,Ke=!1;function nt(g,b){if(e=g??[],n.data=n._data=e,s==2){Te=0;for(let I=1;I<y.length;I++)Te+=e[I][0].length}else{e.length==0&&(n.data=n._data=e=[[]]),We=e[0],Te=We.length;let I=e;if(H==2){I=e.slice();let k=I[0]=Array(Te);for(let $=0;$<Te;$++)k[$]=$}n._data=e=I}if(Ns(!0),rn("setData"),H==2&&(S=!0),b!==!1){let I=D;I.auto(n,Ke)?Dt():Hi(T,I.min,I.max),Z=Z||B.left>=0,ve=!0,Os()}}n.setData=nt;function Dt(){Ke=!0;let g,b;s==1&&(Te>0?(De=$e[0]=0,Ue=$e[1]=Te-1,g=e[0][De],b=e[0][Ue],H==2?(g=De,b=Ue):g==b&&(H==3?[g,b]=Sa(g,g,D.log,!1):H==4?[g,b]=Cc(g,g,D.log,!1):D.time?b=g+qt(86400/d):[g,b]=ca(g,b,Pc,!0))):(De=$e[0]=g=null,Ue=$e[1]=b=null)),Hi(T,g,b)}let Bt,Vt,In,ct,Ze,wi,xt,ei,Ds,Gt;function Us(g,b,I,k,$,se){g??=jh,I??=Dc,k??="butt",$??=jh,se??="round",g!=Bt&&(h.strokeStyle=Bt=g),$!=Vt&&(h.fillStyle=Vt=$),b!=In&&(h.lineWidth=In=b),se!=Ze&&(h.lineJoin=Ze=se),k!=wi&&(h.lineCap=wi=k),I!=ct&&h.setLineDash(ct=I)}function Yt(g,b,I,k){b!=Vt&&(h.fillStyle=Vt=b),g!=xt&&(h.font=xt=g),I!=ei&&(h.textAlign=ei=I),k!=Ds&&(h.textBaseline=Ds=k)}function $n(g,b,I,k,$=0){if(k.length>0&&g.auto(n,Ke)&&(b==null||b.min==null)){let se=pt(De,0),_e=pt(Ue,k.length-1),ye=I.min==null?NS(k,se,_e,$,g.distr==3):[I.min,I.max];g.min=hi(g.min,I.min=ye[0]),g.max=bn(g.max,I.max=ye[1])}}const Is={min:null,max:null};function Rn(){for(let k in w){let $=w[k];q[k]==null&&($.min==null||q[T]!=null&&$.auto(n,Ke))&&(q[k]=Is)}for(let k in w){let $=w[k];q[k]==null&&$.from!=null&&q[$.from]!=null&&(q[k]=Is)}q[T]!=null&&Ns(!0);let g={};for(let k in q){let $=q[k];if($!=null){let se=g[k]=wr(w[k],WS);if($.min!=null)Xt(se,$);else if(k!=T||s==2)if(Te==0&&se.from==null){let _e=se.range(n,null,null,k);se.min=_e[0],se.max=_e[1]}else se.min=yt,se.max=-yt}}if(Te>0){y.forEach((k,$)=>{if(s==1){let se=k.scale,_e=q[se];if(_e==null)return;let ye=g[se];if($==0){let Ce=ye.range(n,ye.min,ye.max,se);ye.min=Ce[0],ye.max=Ce[1],De=li(ye.min,e[0]),Ue=li(ye.max,e[0]),Ue-De>1&&(e[0][De]<ye.min&&De++,e[0][Ue]>ye.max&&Ue--),k.min=We[De],k.max=We[Ue]}else k.show&&k.auto&&$n(ye,_e,k,e[$],k.sorted);k.idxs[0]=De,k.idxs[1]=Ue}else if($>0&&k.show&&k.auto){let[se,_e]=k.facets,ye=se.scale,Ce=_e.scale,[Ne,Oe]=e[$],Fe=g[ye],Qe=g[Ce];Fe!=null&&$n(Fe,q[ye],se,Ne,se.sorted),Qe!=null&&$n(Qe,q[Ce],_e,Oe,_e.sorted),k.min=_e.min,k.max=_e.max}});for(let k in g){let $=g[k],se=q[k];if($.from==null&&(se==null||se.min==null)){let _e=$.range(n,$.min==yt?null:$.min,$.max==-yt?null:$.max,k);$.min=_e[0],$.max=_e[1]}}}for(let k in g){let $=g[k];if($.from!=null){let se=g[$.from];if(se.min==null)$.min=$.max=null;else{let _e=$.range(n,se.min,se.max,k);$.min=_e[0],$.max=_e[1]}}}let b={},I=!1;for(let k in g){let $=g[k],se=w[k];if(se.min!=$.min||se.max!=$.max){se.min=$.min,se.max=$.max;let _e=se.distr;se._min=_e==3?Ni(se.min):_e==4?Dl(se.min,se.asinh):_e==100?se.fwd(se.min):se.min,se._max=_e==3?Ni(se.max):_e==4?Dl(se.max,se.asinh):_e==100?se.fwd(se.max):se.max,b[k]=I=!0}}if(I){y.forEach((k,$)=>{s==2?$>0&&b.y&&(k._paths=null):b[k.scale]&&(k._paths=null)});for(let k in b)S=!0,rn("setScale",k);W&&B.left>=0&&(Z=ve=!0)}for(let k in q)q[k]=null}function Dr(g){let b=rc(De-1,0,Te-1),I=rc(Ue+1,0,Te-1);for(;g[b]==null&&b>0;)b--;for(;g[I]==null&&I<Te-1;)I++;return[b,I]}function Pa(){if(Te>0){let g=y.some(b=>b._focus)&&Gt!=It.alpha;g&&(h.globalAlpha=Gt=It.alpha),y.forEach((b,I)=>{if(I>0&&b.show&&(Ur(I,!1),Ur(I,!0),b._paths==null)){let k=Gt;Gt!=b.alpha&&(h.globalAlpha=Gt=b.alpha);let $=s==2?[0,e[I][0].length-1]:Dr(e[I]);b._paths=b.paths(n,I,$[0],$[1]),Gt!=k&&(h.globalAlpha=Gt=k)}}),y.forEach((b,I)=>{if(I>0&&b.show){let k=Gt;Gt!=b.alpha&&(h.globalAlpha=Gt=b.alpha),b._paths!=null&&zc(I,!1);{let $=b._paths!=null?b._paths.gaps:null,se=b.points.show(n,I,De,Ue,$),_e=b.points.filter(n,I,se,$);(se||_e)&&(b.points._paths=b.points.paths(n,I,De,Ue,_e),zc(I,!0))}Gt!=k&&(h.globalAlpha=Gt=k),rn("drawSeries",I)}}),g&&(h.globalAlpha=Gt=1)}}function Ur(g,b){let I=b?y[g].points:y[g];I._stroke=I.stroke(n,g),I._fill=I.fill(n,g)}function zc(g,b){let I=b?y[g].points:y[g],{stroke:k,fill:$,clip:se,flags:_e,_stroke:ye=I._stroke,_fill:Ce=I._fill,_width:Ne=I.width}=I._paths;Ne=Et(Ne*gt,3);let Oe=null,Fe=Ne%2/2;b&&Ce==null&&(Ce=Ne>0?"#fff":ye);let Qe=I.pxAlign==1&&Fe>0;if(Qe&&h.translate(Fe,Fe),!b){let mt=Be-Ne/2,dt=Le-Ne/2,ot=Ve+Ne,je=qe+Ne;Oe=new Path2D,Oe.rect(mt,dt,ot,je)}b?La(ye,Ne,I.dash,I.cap,Ce,k,$,_e,se):wp(g,ye,Ne,I.dash,I.cap,Ce,k,$,_e,Oe,se),Qe&&h.translate(-Fe,-Fe)}function wp(g,b,I,k,$,se,_e,ye,Ce,Ne,Oe){let Fe=!1;Ce!=0&&V.forEach((Qe,mt)=>{if(Qe.series[0]==g){let dt=y[Qe.series[1]],ot=e[Qe.series[1]],je=(dt._paths||Qr).band;Ji(je)&&(je=Qe.dir==1?je[0]:je[1]);let He,Rt=null;dt.show&&je&&FS(ot,De,Ue)?(Rt=Qe.fill(n,mt)||se,He=dt._paths.clip):je=null,La(b,I,k,$,Rt,_e,ye,Ce,Ne,Oe,He,je),Fe=!0}}),Fe||La(b,I,k,$,se,_e,ye,Ce,Ne,Oe)}const Hc=Tr|lc;function La(g,b,I,k,$,se,_e,ye,Ce,Ne,Oe,Fe){Us(g,b,I,k,$),(Ce||Ne||Fe)&&(h.save(),Ce&&h.clip(Ce),Ne&&h.clip(Ne)),Fe?(ye&Hc)==Hc?(h.clip(Fe),Oe&&h.clip(Oe),po($,_e),fo(g,se,b)):ye&lc?(po($,_e),h.clip(Fe),fo(g,se,b)):ye&Tr&&(h.save(),h.clip(Fe),Oe&&h.clip(Oe),po($,_e),h.restore(),fo(g,se,b)):(po($,_e),fo(g,se,b)),(Ce||Ne||Fe)&&h.restore()}function fo(g,b,I){I>0&&(b instanceof Map?b.forEach((k,$)=>{h.strokeStyle=Bt=$,h.stroke(k)}):b!=null&&g&&h.stroke(b))}function po(g,b){b instanceof Map?b.forEach((I,k)=>{h.fillStyle=Vt=k,h.fill(I)}):b!=null&&g&&h.fill(b)}function Tp(g,b,I,k){let $=M[g],se;if(k<=0)se=[0,0];else{let _e=$._space=$.space(n,g,b,I,k),ye=$._incrs=$.incrs(n,g,b,I,k,_e);se=sE(b,I,ye,k,_e)}return $._found=se}function Da(g,b,I,k,$,se,_e,ye,Ce,Ne){let Oe=_e%2/2;x==1&&h.translate(Oe,Oe),Us(ye,_e,Ce,Ne,ye),h.beginPath();let Fe,Qe,mt,dt,ot=$+(k==0||k==3?-se:se);I==0?(Qe=$,dt=ot):(Fe=$,mt=ot);for(let je=0;je<g.length;je++)b[je]!=null&&(I==0?Fe=mt=g[je]:Qe=dt=g[je],h.moveTo(Fe,Qe),h.lineTo(mt,dt));h.stroke(),x==1&&h.translate(-Oe,-Oe)}function Ap(g){let b=!0;return M.forEach((I,k)=>{if(!I.show)return;let $=w[I.scale];if($.min==null){I._show&&(b=!1,I._show=!1,Ns(!1));return}else I._show||(b=!1,I._show=!0,Ns(!1));let se=I.side,_e=se%2,{min:ye,max:Ce}=$,[Ne,Oe]=Tp(k,ye,Ce,_e==0?he:me);if(Oe==0)return;let Fe=$.distr==2,Qe=I._splits=I.splits(n,k,ye,Ce,Ne,Oe,Fe),mt=$.distr==2?Qe.map(He=>We[He]):Qe,dt=$.distr==2?We[Qe[1]]-We[Qe[0]]:Ne,ot=I._values=I.values(n,I.filter(n,mt,k,Oe,dt),k,Oe,dt);I._rotate=se==2?I.rotate(n,ot,k,Oe):0;let je=I._size;I._size=Kn(I.size(n,ot,k,g)),je!=null&&I._size!=je&&(b=!1)}),b}function Rp(g){let b=!0;return le.forEach((I,k)=>{let $=I(n,k,P,g);$!=oe[k]&&(b=!1),oe[k]=$}),b}function Cp(){for(let g=0;g<M.length;g++){let b=M[g];if(!b.show||!b._show)continue;let I=b.side,k=I%2,$,se,_e=b.stroke(n,g),ye=I==0||I==3?-1:1,[Ce,Ne]=b._found;if(b.label!=null){let Sn=b.labelGap*ye,Fn=qt((b._lpos+Sn)*gt);Yt(b.labelFont[0],_e,"center",I==2?Wr:qh),h.save(),k==1?($=se=0,h.translate(Fn,qt(Le+qe/2)),h.rotate((I==3?-Jo:Jo)/2)):($=qt(Be+Ve/2),se=Fn);let ls=zd(b.label)?b.label(n,g,Ce,Ne):b.label;h.fillText(ls,$,se),h.restore()}if(Ne==0)continue;let Oe=w[b.scale],Fe=k==0?Ve:qe,Qe=k==0?Be:Le,mt=b._splits,dt=Oe.distr==2?mt.map(Sn=>We[Sn]):mt,ot=Oe.distr==2?We[mt[1]]-We[mt[0]]:Ce,je=b.ticks,He=b.border,Rt=je.show?je.size:0,Ot=qt(Rt*gt),on=qt((b.alignTo==2?b._size-Rt-b.gap:b.gap)*gt),Mt=b._rotate*-Jo/180,Ft=m(b._pos*gt),Nn=(Ot+on)*ye,Mn=Ft+Nn;se=k==0?Mn:0,$=k==1?Mn:0;let Xn=b.font[0],ti=b.align==1?cr:b.align==2?Cl:Mt>0?cr:Mt<0?Cl:k==0?"center":I==3?Cl:cr,gi=Mt||k==1?"middle":I==2?Wr:qh;Yt(Xn,_e,ti,gi);let On=b.font[1]*b.lineGap,Yn=mt.map(Sn=>m(a(Sn,Oe,Fe,Qe))),ni=b._values;for(let Sn=0;Sn<ni.length;Sn++){let Fn=ni[Sn];if(Fn!=null){k==0?$=Yn[Sn]:se=Yn[Sn],Fn=""+Fn;let ls=Fn.indexOf(`
`)==-1?[Fn]:Fn.split(/\n/gm);for(let yn=0;yn<ls.length;yn++){let ou=ls[yn];Mt?(h.save(),h.translate($,se+yn*On),h.rotate(Mt),h.fillText(ou,0,0),h.restore()):h.fillText(ou,$,se+yn*On)}}}je.show&&Da(Yn,je.filter(n,dt,g,Ne,ot),k,I,Ft,Ot,Et(je.width*gt,3),je.stroke(n,g),je.dash,je.cap);let _i=b.grid;_i.show&&Da(Yn,_i.filter(n,dt,g,Ne,ot),k,k==0?2:1,k==0?Le:Be,k==0?qe:Ve,Et(_i.width*gt,3),_i.stroke(n,g),_i.dash,_i.cap),He.show&&Da([Ft],[1],k==0?1:0,k==0?1:2,k==1?Le:Be,k==1?qe:Ve,Et(He.width*gt,3),He.stroke(n,g),He.dash,He.cap)}rn("drawAxes")}function Ns(g){y.forEach((b,I)=>{I>0&&(b._paths=null,g&&(s==1?(b.min=null,b.max=null):b.facets.forEach(k=>{k.min=null,k.max=null})))})}let mo=!1,Ua=!1,Ir=[];function Pp(){Ua=!1;for(let g=0;g<Ir.length;g++)rn(...Ir[g]);Ir.length=0}function Os(){mo||(ZS(Vc),mo=!0)}function Lp(g,b=!1){mo=!0,Ua=b,g(n),Vc(),b&&Ir.length>0&&queueMicrotask(Pp)}n.batch=Lp;function Vc(){if(ft&&(Rn(),ft=!1),S&&(bt(),S=!1),Je){if(Ct(p,cr,Se),Ct(p,Wr,be),Ct(p,Yr,he),Ct(p,qr,me),Ct(_,cr,Se),Ct(_,Wr,be),Ct(_,Yr,he),Ct(_,qr,me),Ct(f,Yr,ge),Ct(f,qr,Me),u.width=qt(ge*gt),u.height=qt(Me*gt),M.forEach(({_el:g,_show:b,_size:I,_pos:k,side:$})=>{if(g!=null)if(b){let se=$===3||$===0?I:0,_e=$%2==1;Ct(g,_e?"left":"top",k-se),Ct(g,_e?"width":"height",I),Ct(g,_e?"top":"left",_e?be:Se),Ct(g,_e?"height":"width",_e?me:he),ic(g,Ss)}else zn(g,Ss)}),Bt=Vt=In=Ze=wi=xt=ei=Ds=ct=null,Gt=1,Fr(!0),Se!=Ye||be!=Ae||he!=ke||me!=et){Ns(!1);let g=he/ke,b=me/et;if(W&&!Z&&B.left>=0){B.left*=g,B.top*=b,Fs&&vi(Fs,qt(B.left),0,he,me),ks&&vi(ks,0,qt(B.top),he,me);for(let I=0;I<tn.length;I++){let k=tn[I];k!=null&&(Qn[I]*=g,bi[I]*=b,vi(k,Kn(Qn[I]),Kn(bi[I]),he,me))}}if(At.show&&!re&&At.left>=0&&At.width>0){At.left*=g,At.width*=g,At.top*=b,At.height*=b;for(let I in Ba)Ct(Hs,I,At[I])}Ye=Se,Ae=be,ke=he,et=me}rn("setSize"),Je=!1}ge>0&&Me>0&&(h.clearRect(0,0,u.width,u.height),rn("drawClear"),U.forEach(g=>g()),rn("draw")),At.show&&re&&(go(At),re=!1),W&&Z&&(as(null,!0,!1),Z=!1),F.show&&F.live&&ve&&(Fa(),ve=!1),l||(l=!0,n.status=1,rn("ready")),Ke=!1,mo=!1}n.redraw=(g,b)=>{S=b||!1,g!==!1?Hi(T,D.min,D.max):Os()};function Ia(g,b){let I=w[g];if(I.from==null){if(Te==0){let k=I.range(n,b.min,b.max,g);b.min=k[0],b.max=k[1]}if(b.min>b.max){let k=b.min;b.min=b.max,b.max=k}if(Te>1&&b.min!=null&&b.max!=null&&b.max-b.min<1e-16)return;g==T&&I.distr==2&&Te>0&&(b.min=li(b.min,e[0]),b.max=li(b.max,e[0]),b.min==b.max&&b.max++),q[g]=b,ft=!0,Os()}}n.setScale=Ia;let Na,Oa,Fs,ks,Gc,Wc,Bs,zs,$c,Xc,Tt,Ut,zi=!1;const cn=B.drag;let nn=cn.x,sn=cn.y;W&&(B.x&&(Na=jn(SS,_)),B.y&&(Oa=jn(yS,_)),D.ori==0?(Fs=Na,ks=Oa):(Fs=Oa,ks=Na),Tt=B.left,Ut=B.top);const At=n.select=Xt({show:!0,over:!0,left:0,width:0,top:0,height:0},i.select),Hs=At.show?jn(MS,At.over?_:p):null;function go(g,b){if(At.show){for(let I in g)At[I]=g[I],I in Ba&&Ct(Hs,I,g[I]);b!==!1&&rn("setSelect")}}n.setSelect=go;function Dp(g){if(y[g].show)N&&ic(O[g],Ss);else if(N&&zn(O[g],Ss),W){let I=dn?tn[0]:tn[g];I!=null&&vi(I,-10,-10,he,me)}}function Hi(g,b,I){Ia(g,{min:b,max:I})}function pi(g,b,I,k){b.focus!=null&&Fp(g),b.show!=null&&y.forEach(($,se)=>{se>0&&(g==se||g==null)&&($.show=b.show,Dp(se),s==2?(Hi($.facets[0].scale,null,null),Hi($.facets[1].scale,null,null)):Hi($.scale,null,null),Os())}),I!==!1&&rn("setSeries",g,b),k&&kr("setSeries",n,g,b)}n.setSeries=pi;function Up(g,b){Xt(V[g],b)}function Ip(g,b){g.fill=at(g.fill||null),g.dir=pt(g.dir,-1),b=b??V.length,V.splice(b,0,g)}function Np(g){g==null?V.length=0:V.splice(g,1)}n.addBand=Ip,n.setBand=Up,n.delBand=Np;function Op(g,b){y[g].alpha=b,W&&tn[g]!=null&&(tn[g].style.opacity=b),N&&O[g]&&(O[g].style.opacity=b)}let Ti,Vi,os;const Vs={focus:!0};function Fp(g){if(g!=os){let b=g==null,I=It.alpha!=1;y.forEach((k,$)=>{if(s==1||$>0){let se=b||$==0||$==g;k._focus=b?null:se,I&&Op($,se?1:It.alpha)}}),os=g,I&&Os()}}N&&xn&&R(Jh,Q,g=>{B._lock||(ut(g),os!=null&&pi(null,Vs,!0,Wt.setSeries))});function mi(g,b,I){let k=w[b];I&&(g=g/gt-(k.ori==1?be:Se));let $=he;k.ori==1&&($=me,g=$-g),k.dir==-1&&(g=$-g);let se=k._min,_e=k._max,ye=g/$,Ce=se+(_e-se)*ye,Ne=k.distr;return Ne==3?Er(10,Ce):Ne==4?BS(Ce,k.asinh):Ne==100?k.bwd(Ce):Ce}function kp(g,b){let I=mi(g,T,b);return li(I,e[0],De,Ue)}n.valToIdx=g=>li(g,e[0]),n.posToIdx=kp,n.posToVal=mi,n.valToPos=(g,b,I)=>w[b].ori==0?r(g,w[b],I?Ve:he,I?Be:0):o(g,w[b],I?qe:me,I?Le:0),n.setCursor=(g,b,I)=>{Tt=g.left,Ut=g.top,as(null,b,I)};function Yc(g,b){Ct(Hs,cr,At.left=g),Ct(Hs,Yr,At.width=b)}function qc(g,b){Ct(Hs,Wr,At.top=g),Ct(Hs,qr,At.height=b)}let Nr=D.ori==0?Yc:qc,Or=D.ori==1?Yc:qc;function Bp(){if(N&&F.live)for(let g=s==2?1:0;g<y.length;g++){if(g==0&&Ee)continue;let b=F.values[g],I=0;for(let k in b)pe[g][I++].firstChild.nodeValue=b[k]}}function Fa(g,b){if(g!=null&&(g.idxs?g.idxs.forEach((I,k)=>{ce[k]=I}):GS(g.idx)||ce.fill(g.idx),F.idx=ce[0]),N&&F.live){for(let I=0;I<y.length;I++)(I>0||s==1&&!Ee)&&zp(I,ce[I]);Bp()}ve=!1,b!==!1&&rn("setLegend")}n.setLegend=Fa;function zp(g,b){let I=y[g],k=g==0&&H==2?We:e[g],$;Ee?$=I.values(n,g,b)??xe:($=I.value(n,b==null?null:k[b],g,b),$=$==null?xe:{_:$}),F.values[g]=$}function as(g,b,I){$c=Tt,Xc=Ut,[Tt,Ut]=B.move(n,Tt,Ut),B.left=Tt,B.top=Ut,W&&(Fs&&vi(Fs,qt(Tt),0,he,me),ks&&vi(ks,0,qt(Ut),he,me));let k,$=De>Ue;Ti=yt,Vi=null;let se=D.ori==0?he:me,_e=D.ori==1?he:me;if(Tt<0||Te==0||$){k=B.idx=null;for(let ye=0;ye<y.length;ye++){let Ce=tn[ye];Ce!=null&&vi(Ce,-10,-10,he,me)}xn&&pi(null,Vs,!0,g==null&&Wt.setSeries),F.live&&(ce.fill(k),ve=!0)}else{let ye,Ce,Ne;s==1&&(ye=D.ori==0?Tt:Ut,Ce=mi(ye,T),k=B.idx=li(Ce,e[0],De,Ue),Ne=L(e[0][k],D,se,0));let Oe=-10,Fe=-10,Qe=0,mt=0,dt=!0,ot="",je="";for(let He=s==2?1:0;He<y.length;He++){let Rt=y[He],Ot=ce[He],on=Ot==null?null:s==1?e[He][Ot]:e[He][1][Ot],Mt=B.dataIdx(n,He,k,Ce),Ft=Mt==null?null:s==1?e[He][Mt]:e[He][1][Mt];if(ve=ve||Ft!=on||Mt!=Ot,ce[He]=Mt,He>0&&Rt.show){let Nn=Mt==null?-10:Mt==k?Ne:L(s==1?e[0][Mt]:e[He][0][Mt],D,se,0),Mn=Ft==null?-10:j(Ft,s==1?w[Rt.scale]:w[Rt.facets[1].scale],_e,0);if(xn&&Ft!=null){let Xn=D.ori==1?Tt:Ut,ti=Kt(It.dist(n,He,Mt,Mn,Xn));if(ti<Ti){let gi=It.bias;if(gi!=0){let On=mi(Xn,Rt.scale),Yn=Ft>=0?1:-1,ni=On>=0?1:-1;ni==Yn&&(ni==1?gi==1?Ft>=On:Ft<=On:gi==1?Ft<=On:Ft>=On)&&(Ti=ti,Vi=He)}else Ti=ti,Vi=He}}if(ve||dn){let Xn,ti;D.ori==0?(Xn=Nn,ti=Mn):(Xn=Mn,ti=Nn);let gi,On,Yn,ni,_i,Sn,Fn=!0,ls=wt.bbox;if(ls!=null){Fn=!1;let yn=ls(n,He);Yn=yn.left,ni=yn.top,gi=yn.width,On=yn.height}else Yn=Xn,ni=ti,gi=On=wt.size(n,He);if(Sn=wt.fill(n,He),_i=wt.stroke(n,He),dn)He==Vi&&Ti<=It.prox&&(Oe=Yn,Fe=ni,Qe=gi,mt=On,dt=Fn,ot=Sn,je=_i);else{let yn=tn[He];yn!=null&&(Qn[He]=Yn,bi[He]=ni,of(yn,gi,On,Fn),sf(yn,Sn,_i),vi(yn,Kn(Yn),Kn(ni),he,me))}}}}if(dn){let He=It.prox,Rt=os==null?Ti<=He:Ti>He||Vi!=os;if(ve||Rt){let Ot=tn[0];Ot!=null&&(Qn[0]=Oe,bi[0]=Fe,of(Ot,Qe,mt,dt),sf(Ot,ot,je),vi(Ot,Kn(Oe),Kn(Fe),he,me))}}}if(At.show&&zi)if(g!=null){let[ye,Ce]=Wt.scales,[Ne,Oe]=Wt.match,[Fe,Qe]=g.cursor.sync.scales,mt=g.cursor.drag;if(nn=mt._x,sn=mt._y,nn||sn){let{left:dt,top:ot,width:je,height:He}=g.select,Rt=g.scales[Fe].ori,Ot=g.posToVal,on,Mt,Ft,Nn,Mn,Xn=ye!=null&&Ne(ye,Fe),ti=Ce!=null&&Oe(Ce,Qe);Xn&&nn?(Rt==0?(on=dt,Mt=je):(on=ot,Mt=He),Ft=w[ye],Nn=L(Ot(on,Fe),Ft,se,0),Mn=L(Ot(on+Mt,Fe),Ft,se,0),Nr(hi(Nn,Mn),Kt(Mn-Nn))):Nr(0,se),ti&&sn?(Rt==1?(on=dt,Mt=je):(on=ot,Mt=He),Ft=w[Ce],Nn=j(Ot(on,Qe),Ft,_e,0),Mn=j(Ot(on+Mt,Qe),Ft,_e,0),Or(hi(Nn,Mn),Kt(Mn-Nn))):Or(0,_e)}else za()}else{let ye=Kt($c-Gc),Ce=Kt(Xc-Wc);if(D.ori==1){let Qe=ye;ye=Ce,Ce=Qe}nn=cn.x&&ye>=cn.dist,sn=cn.y&&Ce>=cn.dist;let Ne=cn.uni;Ne!=null?nn&&sn&&(nn=ye>=Ne,sn=Ce>=Ne,!nn&&!sn&&(Ce>ye?sn=!0:nn=!0)):cn.x&&cn.y&&(nn||sn)&&(nn=sn=!0);let Oe,Fe;nn&&(D.ori==0?(Oe=Bs,Fe=Tt):(Oe=zs,Fe=Ut),Nr(hi(Oe,Fe),Kt(Fe-Oe)),sn||Or(0,_e)),sn&&(D.ori==1?(Oe=Bs,Fe=Tt):(Oe=zs,Fe=Ut),Or(hi(Oe,Fe),Kt(Fe-Oe)),nn||Nr(0,se)),!nn&&!sn&&(Nr(0,0),Or(0,0))}if(cn._x=nn,cn._y=sn,g==null){if(I){if(ru!=null){let[ye,Ce]=Wt.scales;Wt.values[0]=ye!=null?mi(D.ori==0?Tt:Ut,ye):null,Wt.values[1]=Ce!=null?mi(D.ori==1?Tt:Ut,Ce):null}kr(Pl,n,Tt,Ut,he,me,k)}if(xn){let ye=I&&Wt.setSeries,Ce=It.prox;os==null?Ti<=Ce&&pi(Vi,Vs,!0,ye):Ti>Ce?pi(null,Vs,!0,ye):Vi!=os&&pi(Vi,Vs,!0,ye)}}ve&&(F.idx=k,Fa()),b!==!1&&rn("setCursor")}let Gi=null;Object.defineProperty(n,"rect",{get(){return Gi==null&&Fr(!1),Gi}});function Fr(g=!1){g?Gi=null:(Gi=_.getBoundingClientRect(),rn("syncRect",Gi))}function jc(g,b,I,k,$,se,_e){B._lock||zi&&g!=null&&g.movementX==0&&g.movementY==0||(ka(g,b,I,k,$,se,_e,!1,g!=null),g!=null?as(null,!0,!0):as(b,!0,!1))}function ka(g,b,I,k,$,se,_e,ye,Ce){if(Gi==null&&Fr(!1),ut(g),g!=null)I=g.clientX-Gi.left,k=g.clientY-Gi.top;else{if(I<0||k<0){Tt=-10,Ut=-10;return}let[Ne,Oe]=Wt.scales,Fe=b.cursor.sync,[Qe,mt]=Fe.values,[dt,ot]=Fe.scales,[je,He]=Wt.match,Rt=b.axes[0].side%2==1,Ot=D.ori==0?he:me,on=D.ori==1?he:me,Mt=Rt?se:$,Ft=Rt?$:se,Nn=Rt?k:I,Mn=Rt?I:k;if(dt!=null?I=je(Ne,dt)?a(Qe,w[Ne],Ot,0):-10:I=Ot*(Nn/Mt),ot!=null?k=He(Oe,ot)?a(mt,w[Oe],on,0):-10:k=on*(Mn/Ft),D.ori==1){let Xn=I;I=k,k=Xn}}Ce&&(b==null||b.cursor.event.type==Pl)&&((I<=1||I>=he-1)&&(I=gs(I,he)),(k<=1||k>=me-1)&&(k=gs(k,me))),ye?(Gc=I,Wc=k,[Bs,zs]=B.move(n,I,k)):(Tt=I,Ut=k)}const Ba={width:0,height:0,left:0,top:0};function za(){go(Ba,!1)}let Kc,Zc,Jc,Qc;function eu(g,b,I,k,$,se,_e){zi=!0,nn=sn=cn._x=cn._y=!1,ka(g,b,I,k,$,se,_e,!0,!1),g!=null&&(R(Ll,tc,tu,!1),kr(Kh,n,Bs,zs,he,me,null));let{left:ye,top:Ce,width:Ne,height:Oe}=At;Kc=ye,Zc=Ce,Jc=Ne,Qc=Oe}function tu(g,b,I,k,$,se,_e){zi=cn._x=cn._y=!1,ka(g,b,I,k,$,se,_e,!1,!0);let{left:ye,top:Ce,width:Ne,height:Oe}=At,Fe=Ne>0||Oe>0,Qe=Kc!=ye||Zc!=Ce||Jc!=Ne||Qc!=Oe;if(Fe&&Qe&&go(At),cn.setScale&&Fe&&Qe){let mt=ye,dt=Ne,ot=Ce,je=Oe;if(D.ori==1&&(mt=Ce,dt=Oe,ot=ye,je=Ne),nn&&Hi(T,mi(mt,T),mi(mt+dt,T)),sn)for(let He in w){let Rt=w[He];He!=T&&Rt.from==null&&Rt.min!=yt&&Hi(He,mi(ot+je,He),mi(ot,He))}za()}else B.lock&&(B._lock=!B._lock,as(b,!0,g!=null));g!=null&&(ae(Ll,tc),kr(Ll,n,Tt,Ut,he,me,null))}function Hp(g,b,I,k,$,se,_e){if(B._lock)return;ut(g);let ye=zi;if(zi){let Ce=!0,Ne=!0,Oe=10,Fe,Qe;D.ori==0?(Fe=nn,Qe=sn):(Fe=sn,Qe=nn),Fe&&Qe&&(Ce=Tt<=Oe||Tt>=he-Oe,Ne=Ut<=Oe||Ut>=me-Oe),Fe&&Ce&&(Tt=Tt<Bs?0:he),Qe&&Ne&&(Ut=Ut<zs?0:me),as(null,!0,!0),zi=!1}Tt=-10,Ut=-10,ce.fill(null),as(null,!0,!0),ye&&(zi=ye)}function nu(g,b,I,k,$,se,_e){B._lock||(ut(g),Dt(),za(),g!=null&&kr(Qh,n,Tt,Ut,he,me,null))}function iu(){M.forEach(rE),Pe(n.width,n.height,!0)}ws(la,_r,iu);const Gs={};Gs.mousedown=eu,Gs.mousemove=jc,Gs.mouseup=tu,Gs.dblclick=nu,Gs.setSeries=(g,b,I,k)=>{let $=Wt.match[2];I=$(n,b,I),I!=-1&&pi(I,k,!0,!1)},W&&(R(Kh,_,eu),R(Pl,_,jc),R(Zh,_,g=>{ut(g),Fr(!1)}),R(Jh,_,Hp),R(Qh,_,nu),cc.add(n),n.syncRect=Fr);const _o=n.hooks=i.hooks||{};function rn(g,b,I){Ua?Ir.push([g,b,I]):g in _o&&_o[g].forEach(k=>{k.call(null,n,b,I)})}(i.plugins||[]).forEach(g=>{for(let b in g.hooks)_o[b]=(_o[b]||[]).concat(g.hooks[b])});const su=(g,b,I)=>I,Wt=Xt({key:null,setSeries:!1,filters:{pub:hf,sub:hf},scales:[T,y[1]?y[1].scale:null],match:[ff,ff,su],values:[null,null]},B.sync);Wt.match.length==2&&Wt.match.push(su),B.sync=Wt;const ru=Wt.key,Ha=up(ru);function kr(g,b,I,k,$,se,_e){Wt.filters.pub(g,b,I,k,$,se,_e)&&Ha.pub(g,b,I,k,$,se,_e)}Ha.sub(n);function Vp(g,b,I,k,$,se,_e){Wt.filters.sub(g,b,I,k,$,se,_e)&&Gs[g](null,b,I,k,$,se,_e)}n.pub=Vp;function Gp(){Ha.unsub(n),cc.delete(n),z.clear(),sc(la,_r,iu),c.remove(),Q?.remove(),rn("destroy")}n.destroy=Gp;function Va(){rn("init",i,e),nt(e||i.data,!1),q[T]?Ia(T,q[T]):Dt(),re=At.show&&(At.width>0||At.height>0),Z=ve=!0,Pe(i.width,i.height)}return y.forEach(ho),M.forEach(ee),t?t instanceof HTMLElement?(t.appendChild(c),Va()):t(n,Va):Va(),n}vn.assign=Xt;vn.fmtNum=Lc;vn.rangeNum=ca;vn.rangeLog=Sa;vn.rangeAsinh=Cc;vn.orient=Ls;vn.pxRatio=gt;vn.join=KS;vn.fmtDate=Uc,vn.tzDate=ay;vn.sync=up;{vn.addGap=Gy,vn.clipGaps=ba;let i=vn.paths={points:gp};i.linear=vp,i.stepped=Xy,i.bars=Yy,i.spline=jy}const If=60;function oE(i){return i.replace(/(\.\d*?)0+(?=\D|$)/,"$1").replace(/\.(?=\D|$)/,"")}function aE(i){let e=0;for(let t=0;t<i.length&&e<If;++t)i[t]!=null&&++e;return e<If}class eo{constructor(e,t,n,s=!1,r=""){this.unit=t,this.lines=n,this.log=s,this.element=A("section.chart",{"aria-label":e},A("h2.title",{title:r},e),this.box),this.observer.observe(this.box)}element;box=A("div.plot");plot=null;data=[[]];marks=[];observer=new ResizeObserver(()=>this.resize());stop_theme=oo(()=>{this.plot&&this.draw()});set(e){this.data=e,this.plot?this.plot.setData(e):this.draw()}set_marks(e){this.marks=e,this.plot?.redraw(!1)}draw_marks(e){const{ctx:t}=e,{left:n,top:s,width:r,height:o}=e.bbox,a=devicePixelRatio||1;t.save(),t.lineWidth=a;for(const{step:l,kind:c}of this.marks){const u=Math.round(e.valToPos(l,"x",!0))+.5;u<n||u>n+r||(t.strokeStyle=Lt(c==="incident"?"--bad":"--series-3"),t.setLineDash(c==="incident"?[4*a,3*a]:[]),t.beginPath(),t.moveTo(u,c==="incident"?s:s+o-7*a),t.lineTo(u,s+o),t.stroke())}t.restore()}draw(){if(this.plot?.destroy(),this.box.replaceChildren(),this.box.clientWidth===0)return;const e={stroke:Lt("--muted"),grid:{stroke:Lt("--grid"),width:1},ticks:{stroke:Lt("--grid"),width:1,size:4},font:"11px system-ui, sans-serif",gap:4};this.plot=new vn({width:this.box.clientWidth,height:190,cursor:{sync:{key:"steps"},points:{size:6}},legend:{live:!0},hooks:{draw:[t=>this.draw_marks(t)]},scales:{x:{time:!1},y:{distr:this.log?3:1}},axes:[{...e,size:28},{...e,size:62,values:(t,n)=>n.map(s=>s===null?"":oE(Ui(s,this.unit)))}],series:[{label:"step",value:(t,n)=>n===null?"–":String(n)},...this.lines.map(t=>({label:t.label,stroke:Lt(t.colour),width:1.6,dash:t.dashed?[5,4]:void 0,spanGaps:!0,points:{show:(n,s)=>aE(n.data[s]),size:4},value:(n,s)=>s===null?"–":Ui(s,this.unit)}))]},this.data,this.box)}destroy(){this.observer.disconnect(),this.stop_theme(),this.plot?.destroy()}resize(){this.plot?this.box.clientWidth>0&&this.box.clientWidth!==this.plot.width&&this.plot.setSize({width:this.box.clientWidth,height:190}):this.draw()}}const lE=2e3,cE=400,uE=12,hE=10,fE={compute:"computes",exposed_comm:"waits for its bytes",bubble:"waits for its partner",data_wait:"waits for the batch"},dE=44,Nf=5,Of=620,Ol=8;function pE(i,e){let t=null,n=[],s=e.parameters.get("column")??"compute",r=e.parameters.get("steps")??"8",o=e.parameters.get("rows")??"auto",a=0,l=!1,c=!1,u=0;const h=A("div.controls"),f=A("div.verdict",{role:"status"}),p=A("canvas",{tabindex:0,role:"application","aria-label":"Heat map of ranks. Arrow keys choose a rank, Enter opens it."}),_=A("div.readout"),x=A("div.map",{},p,_),m=A("div.scale",{"aria-hidden":"true"}),d=A("div.slowest"),y=A("div.heat",{},A("div",{},x,m),d),M=A("section.panel",{hidden:!0});i.append(h,f,y,M);const w=oo(()=>D()),V=new ResizeObserver(()=>D());V.observe(x);function T(G,ce){if(!n[G])return;a=G,H();const{row:F,value:B,excess:N}=n[G],W=t.columns.find(Q=>Q.key===s),J=`rank ${F.rank}: ${Ui(B,W.unit)}, ${N>=0?"+":""}${_n(N)}`;Xe(_,A("strong",{},`rank ${F.rank}`),` ${Ui(B,W.unit)} `,A("span",{},`${N>=0?"+":""}${_n(N)} against its peers`),A("span.muted",{},Fh(F))),vr(J),ce&&ne(F.rank)}function C(){const G=new Map,ce=new Set(n.map(({row:B})=>B.host)),F=o==="auto"?ce.size>1?"host":"stage":o;return n.forEach(({row:B},N)=>{const W=F==="host"?B.host||"host":F==="data"?`data ${B.at.data}`:`stage ${B.at.pipeline}`,J=G.get(W);J?J.push(N):G.set(W,[N])}),[...G].map(([B,N])=>({label:B,cells:N}))}let U=[],E=null;function v(G){const ce=C(),F=Math.min(160,12+7*Math.max(...ce.map(de=>de.label.length))),B=Math.max(...ce.map(de=>de.cells.length)),N=G-F,W=de=>{const Ee=Math.max(1,Math.min(B,Math.floor(N/de))),xe=ce.reduce((Re,Ge)=>Re+Math.ceil(Ge.cells.length/Ee)*de+4,4);if(xe<=Of||Ee<B)return{per_line:Ee,abreast:1,height:xe};const we=Math.max(1,Math.floor((N+Ol)/(B*de+Ol)));return{per_line:Ee,abreast:we,height:Math.ceil(ce.length/we)*(de+4)+4}};let J=Math.max(Nf,Math.min(dE,Math.floor(N/Math.min(B,128))));for(;J>Nf&&W(J).height>Of;)--J;const{per_line:Q,abreast:K,height:X}=W(J);U=[];const O=[];let pe=4;return ce.forEach((de,Ee)=>{const xe=Ee%K;xe===0&&O.push({text:de.label,y:pe+J/2}),de.cells.forEach((we,Re)=>{U[we]={x:F+xe*(B*J+Ol)+Re%Q*J,y:pe+Math.floor(Re/Q)*J,size:J}}),xe===K-1&&(pe+=Math.ceil(de.cells.length/Q)*J+4)}),{height:Math.max(X,pe+4),labels:O,indent:F}}function D(){if(!t||c)return;const G=x.clientWidth-20;if(G<=0)return;const{height:ce,labels:F,indent:B}=v(G),N=devicePixelRatio||1;E=document.createElement("canvas");for(const O of[E,p])O.width=Math.floor(G*N),O.height=Math.floor(ce*N);p.style.width=`${G}px`,p.style.height=`${ce}px`;const W=E.getContext("2d");W.scale(N,N),W.font="12px system-ui, sans-serif",W.textBaseline="middle",W.fillStyle=Lt("--muted");let J=-1/0;for(const{text:O,y:pe}of F)pe<J||(W.fillText(O,0,pe,B-8),J=pe+14);const Q=new Set(t.stragglers.flatMap(O=>O.ranks)),K=Lt("--bad");W.textAlign="center";const X=dc();n.forEach((O,pe)=>{const{x:de,y:Ee,size:xe}=U[pe],we=xe>12?2:1,Re=xe-we,Ge=X(O.excess);W.fillStyle=Ge.css,W.fillRect(de,Ee,Re,Re),xe>=24&&(W.fillStyle=Ge.is_light?"#10131a":"#ffffff",W.fillText(String(O.row.rank),de+Re/2,Ee+Re/2)),Q.has(O.row.rank)&&(W.strokeStyle=K,W.lineWidth=xe>12?2:1,W.strokeRect(de+W.lineWidth/2,Ee+W.lineWidth/2,Re-W.lineWidth,Re-W.lineWidth))}),H()}function H(){const G=U[a];if(!E||!G)return;const ce=p.getContext("2d"),F=devicePixelRatio||1;if(ce.setTransform(1,0,0,1,0,0),ce.clearRect(0,0,p.width,p.height),ce.drawImage(E,0,0),document.activeElement!==p&&!l)return;ce.scale(F,F),ce.strokeStyle=Lt("--text"),ce.lineWidth=2;const B=G.size-(G.size>12?2:1);ce.strokeRect(G.x,G.y,B,B)}function L(G){const ce=p.getBoundingClientRect(),F=G.clientX-ce.left,B=G.clientY-ce.top;return U.findIndex(N=>F>=N.x&&F<N.x+N.size&&B>=N.y&&B<N.y+N.size)}p.addEventListener("mousemove",G=>{const ce=L(G);p.style.cursor=ce>=0?"pointer":"default",l=ce>=0,ce>=0&&ce!==a?T(ce,!1):H()}),p.addEventListener("mouseleave",()=>{l=!1,H()}),p.addEventListener("click",G=>T(L(G),!0)),p.addEventListener("focus",()=>T(a,!1)),p.addEventListener("blur",()=>H()),p.addEventListener("keydown",G=>{const ce=U[a];if(!ce)return;const F={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]}[G.key];if(G.key==="Enter")T(a,!0);else if(F?.[0])T(Math.max(0,Math.min(n.length-1,a+F[0])),!1);else if(F){let B=-1,N=1/0,W=1/0;U.forEach(({x:J,y:Q},K)=>{const X=(Q-ce.y)*F[1],O=Math.abs(J-ce.x);X>0&&(X<N||X===N&&O<W)&&([B,N,W]=[K,X,O])}),B>=0&&T(B,!1)}else return;G.preventDefault(),G.stopPropagation()});function j(){Xe(h,wn("Colour",Jn(t.columns.map(G=>({value:G.key,label:G.label,group:G.group})),s,G=>{s=G,e.remember({column:G}),fe(!0)})),wn("Last steps",Jn(["1","4","8","16","64","256"].map(G=>({value:G,label:G})),r,G=>{r=G,e.remember({steps:G}),fe(!0)})),wn("Rows",Jn([{value:"auto",label:"automatic"},{value:"host",label:"hosts"},{value:"stage",label:"pipeline stages"},{value:"data",label:"data coordinate"}],o,G=>{o=G,e.remember({rows:G}),D()})),A("span.muted.steps",{}))}function q(){const G=t.columns.find(B=>B.key===s);n=Nd(t,G);const ce=t.steps.at(-1);Xe(h.querySelector(".steps"),`steps ${t.steps[0]} to ${ce}, mean of ${t.steps.length}`),Xe(f,...t.stragglers.length?t.stragglers.slice(0,5).map(B=>A("div.straggler",{},A(`span.cause.${B.cause}`,{},Ql[B.cause]),` ${B.text} `,A("span.muted",{},`(${jt(B.seconds)} a step, its peers ${jt(B.usual_seconds)}; in ${B.votes} of ${B.steps} steps)`),A("button.plain",{onclick:()=>void ne(B.ranks[0])},"history"))):t.reading?[Id(t.reading)]:[A("div.fine",{},t.steps.length<8&&e.run.kind==="trained"?"Fewer than 8 steps so far: nobody is judged yet.":"No rank stands out in the last steps.")],...t.problems.slice(0,3).map(B=>A("div.straggler",{},A("span.cause",{},"not shown"),` rank ${B.rank}: ${B.text}`)));const F=n.map((B,N)=>({cell:B,i:N})).sort((B,N)=>N.cell.excess-B.cell.excess).slice(0,uE);Xe(d,A("h2.title",{},"Outliers first"),A("table",{},A("thead",{},A("tr",{},A("th",{},"Rank"),A("th",{},"Value"),A("th",{},"Against peers"),A("th",{},"Where"))),A("tbody",{},...F.map(({cell:B})=>A("tr",{},A("td",{},A("button.link",{onclick:()=>void ne(B.row.rank)},String(B.row.rank))),A("td",{},Ui(B.value,G.unit)),A("td",{},`${B.excess>=0?"+":""}${_n(B.excess)}`),A("td.muted",{},Fh(B.row))))))),Xe(m,A("span",{},"−20 %"),A("span.gradient",{}),A("span",{},"+20 %"),A("span.muted",{},"against the median of the ranks with the same work")),D()}function te(G,ce){const F=ce.worst.slice(-16),B=new Map;for(const{step:W,tasks:J}of F)for(const Q of J){const K=`${Q.cause} ${Q.task}`,X=B.get(K)??{seconds:0,steps:0};B.set(K,{task:Q,seconds:X.seconds+Q.seconds,steps:X.steps+1,newest:W})}const N=[...B.values()].sort((W,J)=>J.seconds-W.seconds).slice(0,hE);return N.length===0?A("p.muted",{},"These steps were stored without their tasks."):A("div",{},A("h2",{},`Worst tasks of the last ${F.length===1?"step":`${F.length} steps`}`),A("div.scroll",{tabindex:0,role:"region","aria-label":"Worst tasks"},A("table",{},A("thead",{},A("tr",{},...["Task","The compute lane","Mean of these steps","Among the worst in","Show"].map(W=>A("th",{},W)))),A("tbody",{},...N.map(({task:W,seconds:J,steps:Q,newest:K})=>A("tr",{},A("td",{},W.name),A("td",{},fE[W.cause]),A("td",{},jt(J/Q)),A("td",{},`${Q} of ${F.length} steps`),A("td",{},A("button.link",{onclick:()=>e.go("timeline",{ranks:String(G),step:String(K)})},`step ${K}`))))))))}let ie=[];async function ne(G){ie.forEach(ce=>ce.destroy()),ie=[],M.hidden=!1;try{const ce=await gn(`/api/runs/${e.run.id}/rank?rank=${G}&steps=256`),F=A("button.plain",{onclick:()=>{M.hidden=!0,p.focus()}},"Close"),B=A("div.charts");Xe(M,A("div.head",{},A("h2",{tabindex:-1},`Rank ${G} beside its peers`),A("span.muted",{},`${ce.host||"host unknown"} · ${ce.peers} ranks with the same work`),A("button",{onclick:()=>e.go("timeline",{ranks:String(G),step:String(ce.steps.at(-1))})},"Timeline"),F),B),B.after(te(G,ce));const N=ce.columns.filter(W=>W.key===s||["compute","exposed_comm","bubble"].includes(W.key));for(const W of N){const J=new eo(`${W.group}: ${W.label}`,W.unit,[{label:`rank ${G}`,colour:"--series-1"},{label:"median",colour:"--series-3",dashed:!0}]);B.append(J.element),J.set([ce.steps,W.values,W.median]),ie.push(J)}M.querySelector("h2").focus(),M.scrollIntoView({block:"nearest"})}catch(ce){Xe(M,Zt(`Rank ${G} cannot be shown`,ce.message,"error"))}}async function fe(G=!1){window.clearTimeout(u);const ce=`steps=${r}&columns=${encodeURIComponent(s)}`;try{const F=await no(e.run,r,s);if(c||ce!==`steps=${r}&columns=${encodeURIComponent(s)}`)return;if(!F.columns.some(W=>W.key===s))return s=F.columns[0].key,void fe(G);const B=t===null,N=B||G||t.reading!==void 0||F.steps.at(-1)!==t.steps.at(-1)||F.steps.length!==t.steps.length;t=F,B&&j(),y.hidden=!1,N&&q()}catch(F){if(c)return;const B=F;t=null,y.hidden=!0,Xe(f,Zt(B.status===404?"No records of ranks":"Records cannot be read",B.message,B.status===404?"empty":"error"))}window.clearTimeout(u),u=window.setTimeout(()=>void fe(),t?.reading?cE:e.run.kind==="simulated"?6e4:lE)}return fe(),{leave(){c=!0,window.clearTimeout(u),V.disconnect(),w(),ie.forEach(G=>G.destroy())},key(G){return G.key!=="Escape"||M.hidden?!1:(M.hidden=!0,!0)}}}const Fl=10,yp=["step","compute","exposed_comm","bubble","data_wait"];function mE(i){return i?.values.length?i.values.reduce((e,t)=>e+t,0)/i.values.length:0}function gE(i,e){if(!e)return 0;const t=new Map;i.ranks.forEach((s,r)=>{const[o,a]=t.get(s.at.pipeline)??[0,0];t.set(s.at.pipeline,[o+e.values[r],a+1])});const n=[...t.values()].map(([s,r])=>s/r);return n.length?n.reduce((s,r)=>s+r,0)/n.length:mE(e)}async function Ff(i){const e=(await no(i,16,"")).columns.map(({key:t})=>t).filter(t=>t.startsWith("op.")||yp.includes(t));return no(i,16,e.join(","))}function _E(i){const e=i.run.kind!=="simulated";return i.runs.filter(t=>t.id!==i.run.id&&t.kind!=="empty"&&t.kind==="simulated"===e&&t.job?.world_size===i.run.job?.world_size)}function kf({label:i,predicted:e,measured:t},n,s){const r=e-t,o=A("span.difference",{title:`${r>0?"predicted too long":"predicted too short"}`}),a=A(`i.${r>0?"more":"less"}`,{});return a.style.width=`${100*Math.abs(r)/(s||1)}%`,o.append(a),A("tr",{},A("td",{},i),A("td",{},jt(e)),A("td",{},jt(t)),A("td",{},`${r>0?"+":r<0?"−":""}${jt(Math.abs(r))}`),A("td",{},t>0?`${r>=0?"+":""}${_n(r/t,0)}`:"–"),A("td",{},n>0?_n(Math.abs(r)/n):"–"),A("td.wide",{},o))}function vE(i,e){const t=_E(e),n=A("div");if(i.append(A("h2",{},"Predicted beside measured"),n),t.length===0){const a=e.run.kind==="simulated"?`megascale serve RUN_DIR ${e.run.path}`:`megascale serve ${e.run.path} DIR`,l=`megascale simulate ${e.run.path}/config.toml --cluster FILE --keep DIR`;Xe(n,A("p.muted",{},"Serve a measured and a simulated run of the same job together to see which op kinds the simulator predicts badly: ",e.run.kind==="simulated"?null:A("code",{},l),e.run.kind==="simulated"?null:", then ",A("code",{},a),"."));return}let s=t.find(a=>String(a.id)===e.parameters.get("beside"))??t[0];const r=A("div");Xe(n,A("div.controls",{},wn(e.run.kind==="simulated"?"Measured run":"Simulated run",Jn(t.map(a=>({value:String(a.id),label:a.name})),String(s.id),a=>{s=t.find(l=>String(l.id)===a),e.remember({beside:a}),o()}))),r);async function o(){try{const[a,l]=await Promise.all([Ff(e.run),Ff(s)]),[c,u]=e.run.kind==="simulated"?[a,l]:[l,a],h=(y,M)=>gE(y,y.columns.find(w=>w.key===M)),f=y=>({label:(u.columns.find(w=>w.key===y)??c.columns.find(w=>w.key===y)).label,predicted:h(c,y),measured:h(u,y)}),p=h(u,"step"),_=[...new Set([...u.columns,...c.columns].map(({key:y})=>y).filter(y=>y.startsWith("op.")))].map(f);_.sort((y,M)=>Math.abs(M.predicted-M.measured)-Math.abs(y.predicted-y.measured));const x=Math.max(..._.map(y=>Math.abs(y.predicted-y.measured))),m=y=>A("thead",{},A("tr",{},...[y,"Predicted","Measured","Difference","Of the kind","Of the step","Picture"].map(M=>A("th",{},M)))),d=yp.map(f);Xe(r,A("div.scroll",{tabindex:0,role:"region","aria-label":"Parts of the step"},A("table",{},m("Part of the step"),A("tbody",{},...d.map(y=>kf(y,p,Math.max(...d.map(M=>Math.abs(M.predicted-M.measured)))))))),A("h2",{},_.length>Fl?`The ${Fl} op kinds with the largest difference`:"Op kinds"),A("div.scroll",{tabindex:0,role:"region","aria-label":"Op kinds"},A("table",{},m("Op kind"),A("tbody",{},..._.slice(0,Fl).map(y=>kf(y,p,x))))),A("p.muted",{},`Means over the recorded ranks of each stage: ${u.steps.length} measured steps of ${u.ranks.length} ranks, ${c.ranks.length} simulated ranks. megascale simulate --compare prints the medians.`))}catch(a){Xe(r,Zt("The two runs cannot be compared",a.message,"empty"))}}o()}const xE=600,kl=1e3,Bl=100;function zl(i,e){const t=document.createElementNS("http://www.w3.org/2000/svg",i);for(const[n,s]of Object.entries(e))t.setAttribute(n,s);return t}function ME(i,e,t){const n=[],s=[];for(let r=0;r+1<i.length;++r){const[o,a]=[i[r].toFixed(1),i[r+1].toFixed(1)];n.push(`${o},${t[r].toFixed(2)} ${a},${t[r].toFixed(2)}`),s.push(`${a},${e[r].toFixed(2)} ${o},${e[r].toFixed(2)}`)}return[...n,...s.reverse()].join(" ")}function SE(i,e,t,n){const s=A("div"),r=t.stages.map(h=>String(h.first_rank));let o=e.parameters.get("rank")??r[0];const a=h=>{o=h,e.remember({rank:o}),c()},l=A("input",{value:o,size:7,inputmode:"numeric"});l.addEventListener("change",()=>a(l.value)),i.append(A("h2",{},"Memory in the course of a step"),A("div.controls",{},t.stages.length>1?wn("First rank of",Jn(t.stages.map((h,f)=>({value:r[f],label:`stage ${h.stage}`})),o,h=>{l.value=h,a(h)})):null,wn("Rank",l)),s);async function c(){try{u(await gn(`/api/runs/${e.run.id}/memory?rank=${encodeURIComponent(o)}&points=${xE}`))}catch(h){Xe(s,A("p.muted",{},`Not known: ${h.message}`))}}function u(h){const f=n.filter(U=>h.bytes[U]),p=h.time.map((U,E)=>f.reduce((v,D)=>v+h.bytes[D][E],0)),_=p.indexOf(Math.max(...p)),x=Math.max(1,h.end,h.time.at(-1)??0),m=[...h.time.map(U=>Math.max(0,U)/x*kl),kl],d=zl("svg",{viewBox:`0 0 ${kl} ${Bl}`,preserveAspectRatio:"none",role:"img","aria-label":`Memory of rank ${h.rank}: at most ${ln(p[_])} of ${ln(h.arena_bytes)}`}),y=U=>Bl*(1-U/h.arena_bytes);let M=p.map(()=>0);for(const U of f){const E=M.map((v,D)=>v+h.bytes[U][D]);d.append(zl("polygon",{class:`memory-${n.indexOf(U)}`,points:ME(m,M.map(y),E.map(y))})),M=E}const w=zl("line",{class:"at",y1:"0",y2:String(Bl)});d.append(w);const V=A("input",{type:"range",min:0,max:h.time.length-1,value:_}),T=A("table.at-time",{}),C=U=>{w.setAttribute("x1",m[U].toFixed(1)),w.setAttribute("x2",m[U].toFixed(1)),Xe(T,A("thead",{},A("tr",{},A("th",{},"Category"),A("th",{},`at ${jt(Math.max(0,h.time[U])*1e-9)}`),A("th",{},"at the peak"))),A("tbody",{},...[...f,"all"].map(E=>A("tr",{},A("td",{},E==="all"?null:A(`i.dot.memory-${n.indexOf(E)}`),E.replace("_"," ")),...[U,_].map(v=>A("td",{},ln(E==="all"?p[v]:h.bytes[E][v])))))))};V.addEventListener("input",()=>C(Number(V.value))),d.addEventListener("pointermove",U=>{const E=d.getBoundingClientRect(),v=(U.clientX-E.left)/E.width*x,D=Math.max(0,h.time.findLastIndex(H=>H<=v));V.value=String(D),C(D)}),C(_),Xe(s,A("div.over-time",{},A("div.bytes",{"aria-hidden":"true"},A("span",{},ln(h.arena_bytes)),A("span",{},ln(h.arena_bytes/2)),A("span",{},"0")),A("div",{},d,A("div.times",{"aria-hidden":"true"},A("span",{},"0"),A("span",{},jt(x*5e-10)),A("span",{},jt(x*1e-9))),wn("Time in the step",V)),T),A("p.muted",{},`Step ${h.step} of rank ${h.rank}: at most ${ln(p[_])} hold something that is needed; the arena has ${ln(h.arena_bytes)}. A part of a buffer counts as all of it, so the sum may be a little larger than the arena.`))}c()}function yE(i,e){const t=A("div"),n=new fa("The job");return i.append(t),(async()=>{try{const s=await gn(`/api/runs/${e.run.id}/plan`),r=Math.max(...s.stages.map(l=>l.arena_bytes)),o=Object.keys(s.stages[0].memory).filter(l=>s.stages.some(c=>c.memory[l]>0)),a=e.run.job;n.show([kt("Ranks",String(s.world_size),a?wc(a):""),kt("Parameters",a?fi(a.parameters):"–"),kt("FLOPs a step",fi(s.model_flops),`${fi(s.executed_flops)} executed`),kt("Largest arena",ln(r),"planned, exact")]),Xe(t,n.element,A("h2",{},"Memory of a rank, by stage"),A("div.legend",{},...o.map((l,c)=>A("span",{},A(`i.memory-${c}`),l.replace("_"," ")))),...s.stages.map(l=>{const c=A("div.memory",{},A("span.name",{},`stage ${l.stage}`),A("span.muted",{},`${l.ranks} ranks from ${l.first_rank}, ${fi(l.tasks)} tasks`)),u=A("div.bar",{role:"img","aria-label":`stage ${l.stage}: ${ln(l.arena_bytes)}`});return o.forEach((h,f)=>{const p=A(`span.memory-${f}`,{title:`${h}: ${ln(l.memory[h])}`});p.style.width=`${100*l.memory[h]/r}%`,u.append(p)}),c.append(u,A("span",{},ln(l.arena_bytes))),c}),A("h2",{},"Bytes"),A("div.scroll",{tabindex:0,role:"region","aria-label":"Bytes by stage"},A("table",{},A("thead",{},A("tr",{},A("th",{},"Category"),...s.stages.map(l=>A("th",{},`stage ${l.stage}`)))),A("tbody",{},...o.map(l=>A("tr",{},A("td",{},l.replace("_"," ")),...s.stages.map(c=>A("td",{},ln(c.memory[l]))))))))),SE(t,e,s,o),vE(t,e)}catch(s){Xe(t,Zt("The plan cannot be made",s.message,"error"))}})(),{leave:()=>n.destroy()}}const Bf=1500,EE=[{title:"Loss",unit:"nats",meaning:"nats a token",metrics:[{name:"loss",label:"train"},{name:"validation_loss",label:"validation"}]},{title:"Tokens per second",unit:"",meaning:"tokens of a step relative to its wall time",metrics:[{name:"tokens_per_second",label:"tokens/s"}]},{title:"Utilization",unit:"ratio",meaning:"FLOPs relative to the peak of all ranks",metrics:[{name:"mfu",label:"MFU"},{name:"hfu",label:"HFU"}]},{title:"Step time",unit:"seconds",meaning:"wall time of a step",metrics:[{name:"step_seconds",label:"step"},{name:"checkpoint_stall_seconds",label:"checkpoint stall"}]},{title:"Waiting of rank 0",unit:"seconds",meaning:"why the compute lane of rank 0 stood still",metrics:[{name:"exposed_comm_seconds",label:"exposed communication"},{name:"bubble_seconds",label:"bubble"},{name:"data_wait_seconds",label:"data"}]},{title:"Memory",unit:"bytes",meaning:"the largest arena of all ranks",metrics:[{name:"memory_bytes",label:"arena"}]},{title:"Gradient norm",unit:"",meaning:"before clipping",metrics:[{name:"grad_norm",label:"norm"}]},{title:"Learning rate",unit:"",meaning:"of the step",metrics:[{name:"lr",label:"rate"}]}],zf="validation_losses.";class bE{columns={step:[]};checkpoints=[];replace({columns:e,checkpoints:t}){this.columns={step:[],...e},this.checkpoints=t}append(e){const t=this.columns.step.length,n=e.step.length;for(const s of new Set([...Object.keys(this.columns),...Object.keys(e)]))(this.columns[s]??=Array(t).fill(null)).push(...e[s]??Array(n).fill(null));e.checkpoint_stall_seconds?.forEach((s,r)=>{s!==null&&this.checkpoints.push(e.step[r])})}get last_step(){return this.columns.step.at(-1)??0}}function wE(i,e){const t=new Set((e.parameters.get("with")??"").split(",").filter(Boolean).map(Number)),n=new fa("Where the run stands"),s=A("div.charts"),r=A("div.legend"),o=A("div",{});i.append(n.element,f(),o);let a=null,l=!1,c=[],u=[];const h=new Map;function f(){const T=e.runs.filter(C=>C.id!==e.run.id&&C.kind==="trained");return T.length===0?A("div"):A("fieldset.overlay",{},A("legend",{},"Lay over"),...T.map(C=>{const U=A("input",{type:"checkbox",checked:t.has(C.id)});return U.addEventListener("change",()=>{U.checked?t.add(C.id):t.delete(C.id),e.remember({with:t.size?[...t].join(","):null}),_()}),A("label",{},U,` ${C.name}`)}))}function p(){return e.runs.filter(T=>T.id===e.run.id||t.has(T.id))}async function _(){a?.close();try{for(const T of p()){const C=await gn(`/api/runs/${T.id}/metrics?points=${Bf}`),U=h.get(T.id)??new bE;U.replace(C),h.set(T.id,U)}}catch(T){l||Xe(o,Zt("Metrics cannot be read",T.message,"error"));return}e.run.has_job&&(u=await gn(`/api/runs/${e.run.id}/job`).then(T=>T.incidents,()=>[])),!l&&(d(),V())}function x(){return[...h.get(e.run.id).checkpoints.map(T=>({step:T,kind:"checkpoint"})),...u.filter(({step:T})=>T>=0).map(({step:T})=>({step:T,kind:"incident"}))]}function m(T){if(T.title!=="Loss")return T.metrics;const C=p().flatMap(U=>Object.keys(h.get(U.id)?.columns??{})).filter(U=>U.startsWith(zf));return[...T.metrics,...[...new Set(C)].sort().map(U=>({name:U,label:`validation ${U.slice(zf.length)}`}))]}function d(){if(c.forEach(({chart:T})=>T.destroy()),c=[],h.get(e.run.id).columns.step.length===0){Xe(o,e.run.kind==="simulated"?Zt("A simulated step has no metrics","Open Heat map, Timeline or Plan: they show the simulated records."):e.run.kind==="measured"?Zt("No metrics","A training writes them with its first step, megascale bench step writes none. Heat map, 3D, Timeline and Plan show the records."):e.run.kind==="empty"?Zt("This directory holds no run",`Start one with train.run_dir=${e.run.path}, or serve another directory.`):Zt("No step has ended yet","Metrics appear here with the first step."));return}s.replaceChildren();for(const T of EE){const C=m(T).filter(({name:v})=>p().some(D=>h.get(D.id)?.columns[v]?.some(H=>H!==null)));if(C.length===0)continue;const U=[];p().forEach((v,D)=>C.forEach(({label:H},L)=>U.push({label:p().length>1?`${v.name} ${H}`:H,colour:`--series-${(D*C.length+L)%6+1}`,dashed:D>0})));const E=new eo(T.title,T.unit,U,T.log,T.meaning);s.append(E.element),c.push({plot:{...T,metrics:C},chart:E})}Xe(o,r,s),M()}function y(T){const C=p().map(D=>h.get(D.id).columns);if(C.length===1)return[C[0].step,...T.metrics.map(({name:D})=>C[0][D]??[])];const U=[...new Set(C.flatMap(D=>D.step))].sort((D,H)=>D-H),E=new Map(U.map((D,H)=>[D,H])),v=C.flatMap(D=>T.metrics.map(({name:H})=>{const L=Array(U.length).fill(null);return D[H]?.forEach((j,q)=>L[E.get(D.step[q])]=j),L}));return[U,...v]}function M(){const T=x();for(const{plot:C,chart:U}of c)U.set_marks(T),U.set(y(C));Xe(r,T.some(({kind:C})=>C==="checkpoint")?A("span",{},A("i.mark.checkpoint"),`${h.get(e.run.id).checkpoints.length} checkpoints`):null,T.some(({kind:C})=>C==="incident")?A("span",{},A("i.mark.incident"),`${u.length} incidents: the page Cluster lists them`):null),w()}function w(){const T=h.get(e.run.id).columns,C=e.run.job,U=fe=>T[fe]?.at(-1)??null,E=h.get(e.run.id).last_step,v=(T.step_seconds??[]).slice(-50).filter(fe=>fe!==null).sort((fe,G)=>fe-G),D=v[Math.floor(v.length/2)],H=[];if(C){const fe=Math.min(1,E/C.train_iters),G=kt("Step",`${E.toLocaleString("en")}`,`of ${C.train_iters.toLocaleString("en")}`);G.append(A("progress",{max:1,value:fe,"aria-label":"Progress"})),H.push(G),E<C.train_iters&&D&&H.push(kt("Time left",vs((C.train_iters-E)*D),"at the median of 50 steps"))}const L=U("loss"),j=U("tokens_per_second"),q=U("mfu"),te=U("memory_bytes"),ie=U("consumed_tokens");L!==null&&H.push(kt("Loss",L.toFixed(4),`perplexity ${fi(Math.exp(L))}`)),j!==null&&H.push(kt("Tokens/s",fi(j),ie!==null?`${fi(ie)} so far`:"")),q!==null&&H.push(kt("MFU",_n(q),U("hfu")!==null?`HFU ${_n(U("hfu"))}`:"")),D&&H.push(kt("Step time",jt(D),"median of 50")),te!==null&&H.push(kt("Memory",ln(te),"largest arena"));const ne=U("skipped_steps");ne&&H.push(kt("Skipped steps",String(ne),"loss or norm not finite")),C&&H.push(kt("Ranks",String(C.world_size),wc(C))),n.show(H)}function V(){const T=h.get(e.run.id);a=new EventSource(`/api/runs/${e.run.id}/stream?after=${T.last_step}`),a.addEventListener("metrics",C=>{const{columns:U}=JSON.parse(C.data),E=T.columns.step.length===0,v=Object.keys(T.columns).length;T.append(U);const D=E||Object.keys(T.columns).length>v;T.columns.step.length>3*Bf?_():D?d():M()}),a.addEventListener("reset",()=>void _())}return _(),{leave(){l=!0,a?.close(),n.destroy(),c.forEach(({chart:T})=>T.destroy())}}}const Ki=74,TE=22,AE=4,RE=520,Hf=18,CE=1;class Vf{constructor(e,t=()=>{}){this.on_row=t,this.canvas=A("canvas",{tabindex:0,role:"application","aria-label":`${e}. Arrow keys choose a cell.`}),this.element=A("div.map",{},this.canvas,this.readout),this.observer.observe(this.element),this.canvas.addEventListener("mousemove",n=>this.choose_at(n)),this.canvas.addEventListener("click",n=>{this.choose_at(n),this.on_row(this.row)}),this.canvas.addEventListener("keydown",n=>this.take_key(n));for(const n of["focus","blur"])this.canvas.addEventListener(n,()=>this.draw())}element;canvas;readout=A("div.readout");loads={rows:[],columns:[],row_name:"",column_name:""};row=0;column=0;observer=new ResizeObserver(()=>this.draw());stop_theme=oo(()=>this.draw());set(e){this.loads=e,this.choose(this.row,this.column)}destroy(){this.observer.disconnect(),this.stop_theme()}choose(e,t){this.row=Math.max(0,Math.min(this.loads.rows.length-1,e)),this.column=Math.max(0,Math.min(this.loads.columns.length-1,t));const n=this.loads.rows[this.row],s=n?.values[this.column];Xe(this.readout,n?A("span",{},`${this.loads.row_name} ${n.label}, ${this.loads.column_name} ${this.loads.columns[this.column]}: `,s==null?"not known":`${Gl(s)} tokens, ${n.mean>0?(s/n.mean).toFixed(2):"–"} times the mean`):null),this.draw()}choose_at(e){const t=this.canvas.getBoundingClientRect(),[n,s]=this.cell();e.clientX-t.left<Ki||this.choose(Math.floor((e.clientY-t.top)/s),Math.floor((e.clientX-t.left-Ki)/n))}take_key(e){const n={ArrowLeft:[0,-1],ArrowRight:[0,1],ArrowUp:[-1,0],ArrowDown:[1,0]}[e.key];if(n)this.choose(this.row+n[0],this.column+n[1]);else if(e.key==="Enter")this.on_row(this.row);else return;e.preventDefault(),e.stopPropagation()}cell(){const{rows:e,columns:t}=this.loads;return[(this.element.clientWidth-22-Ki)/Math.max(1,t.length),Math.max(AE,Math.min(TE,RE/Math.max(1,e.length)))]}draw(){const{rows:e,columns:t}=this.loads,[n,s]=this.cell();if(e.length===0||n<=0)return;const r=devicePixelRatio||1,o=Ki+n*t.length,a=e.length*s+Hf;this.canvas.width=Math.ceil(o*r),this.canvas.height=Math.ceil(a*r),this.canvas.style.width=`${o}px`,this.canvas.style.height=`${a}px`;const l=this.canvas.getContext("2d"),c=dc();l.scale(r,r),l.font="11px system-ui, sans-serif",l.textBaseline="middle";const u=n>5&&s>5?1:0,h=Math.max(1,Math.ceil(14/s)),f=Math.max(1,Math.ceil(46/n));e.forEach((p,_)=>{p.values.forEach((x,m)=>{l.fillStyle=x===null?Lt("--track"):c(td/CE*(p.mean>0?x/p.mean-1:0)).css,l.fillRect(Ki+m*n,_*s,n-u,s-u)}),l.fillStyle=Lt("--muted"),l.textAlign="right",_%h===0&&l.fillText(`${this.loads.row_name} ${p.label}`,Ki-6,(_+.5)*s)}),l.textAlign="left",t.forEach((p,_)=>{_%f===0&&l.fillText(p,Ki+_*n,a-Hf/2+2)}),document.activeElement===this.canvas&&(l.strokeStyle=Lt("--text"),l.lineWidth=2,l.strokeRect(Ki+this.column*n,this.row*s,Math.max(2,n-u),s-u))}}const PE=3e3,LE=512,DE=1500,UE=10;function ur(i){const e=i.filter(t=>t!==null);return e.length?e.reduce((t,n)=>t+n,0)/e.length:0}function Yo(i){const e=i.filter(t=>t!==null);return e.length?Math.max(...e):null}function IE(i,e){const t=new fa("Routing now"),n=A("div");i.append(t.element,n);const s=new Vf("Load by layer and expert",U=>y(p.layers[U])),r=new Vf("Load of the layer by expert and step"),o=new eo("Imbalance","",[{label:"worst layer",colour:"--series-1"},{label:"mean of layers",colour:"--series-3"},{label:"worst layer, by rank",colour:"--series-2",dashed:!0}],!1,"largest load of an expert, or of a rank with experts, relative to the mean"),a=new eo("Shares","ratio",[{label:"dropped",colour:"--series-2"},{label:"of the step, for imbalance",colour:"--series-4"}],!1,"choices that got no row; the share of the step for which the busiest ranks compute longer than the mean"),l=[{label:"balancing",colour:"--series-1"},{label:"z",colour:"--series-4"}],c=new eo("Losses of the router","",l,!1,"mean over the layers, nats a token, with their coefficients"),u=A("div.controls"),h=A("h2",{}),f=A("div");let p=null,_=-1,x=Number(e.parameters.get("layer")??-1),m=!1,d=0;function y(U){x=U,e.remember({layer:String(U)}),M()}function M(){const{layers:U,loads:E}=p,v=E.find(({step:H})=>H===_)??E.at(-1);if(!v)return;U.includes(x)||(x=U[0]);const D=U.indexOf(x);s.set({row_name:"layer",column_name:"expert",columns:v.loads[0].map((H,L)=>String(L)),rows:U.map((H,L)=>({label:String(H),values:v.loads[L],mean:ur(v.loads[L])}))}),r.set({row_name:"step",column_name:"expert",columns:v.loads[D].map((H,L)=>String(L)),rows:E.map(H=>({label:String(H.step),values:H.loads[D],mean:ur(H.loads[D])}))}),Xe(h,`Layer ${x} over the steps`),Xe(u,wn("Step",Jn([{value:"-1",label:"newest"},...E.map(({step:H})=>({value:String(H),label:String(H)})).reverse()],String(_),H=>{_=Number(H),M()})),wn("Layer",Jn(U.map(H=>({value:String(H),label:String(H)})),String(x),H=>y(Number(H)))),A("span.muted",{},`step ${v.step}: loads of the whole step over all ranks`)),w(v.loads)}function w(U){const{job:E}=e.run,D=U.flatMap((L,j)=>L.map((q,te)=>({layer:p.layers[j],expert:te,load:q??0,usual:ur(L)}))).filter(({usual:L})=>L>0).sort((L,j)=>j.load/j.usual-L.load/L.usual).slice(0,UE),H=L=>!E||E.experts===0||E.expert<=1?"all ranks of a stage":`place ${Math.floor(L/(E.experts/E.expert))} of ${E.expert} in an expert group`;Xe(f,A("h2",{},"Busiest experts"),A("div.scroll",{tabindex:0,role:"region","aria-label":"Busiest experts"},A("table",{},A("thead",{},A("tr",{},...["Layer","Expert","Load","Times the mean","Held by"].map(L=>A("th",{},L)))),A("tbody",{},...D.map(L=>A("tr",{},A("td",{},A("button.link",{onclick:()=>y(L.layer)},String(L.layer))),A("td",{},String(L.expert)),A("td",{},Gl(L.load)),A("td",{},(L.load/L.usual).toFixed(2)),A("td",{},H(L.expert))))))))}function V(U){const E=U.reduce((v,D)=>v+(D??0),0);return E===0?"no choice of the newest step":`${Gl(E)} ${E===1?"choice":"choices"} of the newest step; layer ${p.layers[U.indexOf(Yo(U))]} most`}function T(U){const{step:E,imbalance:v,rank_imbalance:D,dropped:H,aux_loss:L,z_loss:j}=p,q=v.at(-1)??[],te=Yo(q),ie=e.run.job,ne=p.dropped_share.at(-1)??null,fe=p.imbalance_share.at(-1)??null;t.show([kt("Experts",ie?.experts?String(ie.experts):"–",ie?.experts?`${p.layers.length} layers; a rank holds ${ie.expert>1?ec(0,ie)+" and so on":"all"}`:""),kt("Worst layer",te===null?"–":`${te.toFixed(2)} ×`,te===null?"":`layer ${p.layers[q.indexOf(te)]}: busiest expert to the mean`),kt("Dropped",ne===null?"–":_n(ne),V(H.at(-1)??[])),kt("Cost of imbalance",fe===null?"–":_n(fe),"of the step, estimated")]),o.set([E,v.map(Yo),v.map(ur),D.map(Yo)]);const{columns:G}=U,ce=G.step.map(()=>null);a.set([G.step,G.expert_dropped_share??ce,G.expert_imbalance_share??ce]),c.set([E,L.map(ur),j.map(ur)])}async function C(){window.clearTimeout(d);try{const[U,E]=await Promise.all([gn(`/api/runs/${e.run.id}/routing?steps=${LE}`),gn(`/api/runs/${e.run.id}/metrics?points=${DE}`)]);if(m)return;const v=p===null,D=v||U.step.at(-1)!==p.step.at(-1);p=U,v&&Xe(n,A("div.charts",{},o.element,a.element,c.element),A("h2",{},"Load by layer and expert"),u,s.element,A("div.scale",{"aria-hidden":"true"},A("span",{},"no load"),A("span.gradient",{}),A("span",{},"twice the mean or more"),A("span.muted",{},"a click chooses the layer below")),h,r.element,f),D&&T(E),D&&!u.contains(document.activeElement)&&M()}catch(U){if(m)return;const E=U;p===null&&Xe(n,Zt(E.status===404?"No routed experts":"Metrics cannot be read",E.message,E.status===404?"empty":"error"))}d=window.setTimeout(()=>void C(),PE)}return C(),{leave(){m=!0,window.clearTimeout(d),t.destroy(),s.destroy(),r.destroy();for(const U of[o,a,c])U.destroy()}}}function so(i){return i.lane.start[i.index]}function qo(i,e){let t=0,n=i.end.length;for(;t<n;){const s=t+n>>1;i.end[s]>e?n=s:t=s+1}return t}function Hl(i,e,t){for(const n of i.ranks[e].lanes){const s=n.id.indexOf(t);if(s>=0)return{rank:e,lane:n,index:s}}return null}function Gf(i,e){const t=e.lane.group?.[e.index];if(!t)return[];let n=0;for(let r=0;r<e.index;++r)e.lane.group[r]===t&&++n;const s=[];return i.ranks.forEach((r,o)=>{if(o!==e.rank)for(const a of r.lanes){let l=0;const c=a.group?.findIndex(u=>u===t&&l++===n)??-1;c>=0&&s.push({rank:o,lane:a,index:c})}}),s}function Wf(i,e){const t=e.lane.id[e.index],n=[];for(const s of i.ranks[e.rank].lanes)s.awaited.forEach((r,o)=>{r===t&&n.push({rank:e.rank,lane:s,index:o})});return n}function $f(i){return i.reduce((e,t)=>so(t)>so(e)?t:e)}function NE(i,{rank:e,lane:t,index:n}){const s=i.plans[i.ranks[e].plan],r=t.id[n],o=p=>(t.end[p]-(t.group?t.matched[p]:t.start[p]))*1e-9,a=o(n),l=[];if(a<=0)return l;let c=0;const u=s.flops[r]>0?s.flops:s.bytes;t.id.forEach((p,_)=>{s.op[p]===s.op[r]&&o(_)>0&&(c=Math.max(c,u[p]/o(_)))});const h=`${_n(u[r]/a/(c||1),0)} of the fastest ${s.ops[s.op[r]]} here`,f=i.peak_flops;return s.flops[r]>0&&l.push(["FLOPs",`${fi(s.flops[r])}FLOP, ${fi(s.flops[r]/a)}FLOP/s: ${f?`${_n(s.flops[r]/a/f)} of the peak, `:""}${h}`]),s.bytes[r]>0&&l.push([t.group?"Bytes moved":"Bytes of operands",`${ln(s.bytes[r])}, ${ln(s.bytes[r]/a)}/s${s.flops[r]>0?"":`: ${h}`}`]),l}const oi=18,Xf=24,un=150,Yf=24,OE=200,qf={exposed_comm:"exposed communication",bubble:"bubble",data_wait:"wait for data"},FE=16;function kE(i,e,t,n,s,r){const o=s(so(e)),a=s(t.lane.matched[t.index]),l=r(e),c=r(t);i.strokeStyle=i.fillStyle=Lt(n),i.lineWidth=2,i.beginPath(),i.moveTo(o,l),i.bezierCurveTo(o+18,l+(c-l)/3,a+18,c-(c-l)/3,a,c),i.stroke(),i.beginPath(),i.arc(a,c,3.5,0,7),i.fill()}function BE(i,e){let t=null,n=0,s=1,r=[],o=null,a=!1,l=null;const c=A("div.controls"),u=A("canvas",{tabindex:0,role:"application","aria-label":"Timeline. Keys a and d move, w and s zoom, arrows go from task to task."}),h=A("div.timeline",{},u),f=A("section.panel.details",{"aria-live":"polite"}),p=A("div.legend",{"aria-hidden":"true"}),_=A("div");i.append(c,_,h,p,f);const x=oo(()=>T()),m=new ResizeObserver(()=>T());m.observe(h);const d=()=>h.clientWidth,y=F=>un+(F-n)/(s-n)*(d()-un),M=F=>n+(F-un)/(d()-un)*(s-n);function w(){r=[];let F=Yf;return t.ranks.forEach((B,N)=>{r.push({rank:N,lane:null,y:F}),F+=Xf;for(const W of B.lanes)r.push({rank:N,lane:W,y:F}),F+=oi;F+=6}),F}function V(F,B){return t.plans[t.ranks[F].plan].name[B]}function T(){if(!t||a||d()===0)return;const F=w(),B=devicePixelRatio||1;u.width=Math.floor(d()*B),u.height=Math.floor(F*B),u.style.width=`${d()}px`,u.style.height=`${F}px`;const N=u.getContext("2d");N.scale(B,B),N.font="11px system-ui, sans-serif",N.textBaseline="middle",C(N,F),N.save(),N.beginPath(),N.rect(un,0,d()-un,F),N.clip();for(const W of r)W.lane&&U(N,W);E(N),N.restore();for(const W of r){const J=t.ranks[W.rank];N.textAlign="left",N.fillStyle=Lt(W.lane?"--muted":"--text"),N.font=`${W.lane?"":"600 "}11px system-ui, sans-serif`;const Q=W.lane?W.lane.lane:`rank ${J.rank}${J.host?` · ${J.host}`:""}`;N.fillText(Q,W.lane?14:2,W.y+(W.lane?oi/2:Xf/2+2),un-18)}}function C(F,B){const N=(s-n)/Math.max(2,(d()-un)/110),W=10**Math.floor(Math.log10(N)),J=[1,2,5,10].map(Q=>Q*W).find(Q=>Q>=N);F.strokeStyle=Lt("--grid"),F.fillStyle=Lt("--muted"),F.textAlign="center",F.lineWidth=1;for(let Q=Math.ceil(n/J)*J;Q<=s;Q+=J){const K=Math.round(y(Q))+.5;K<un||(F.beginPath(),F.moveTo(K,Yf-6),F.lineTo(K,B),F.stroke(),F.fillText(jt(Q*1e-9),K,8))}}function U(F,B){const{lane:N,y:W}=B,J=t.ranks[B.rank],Q=t.plans[J.plan];if(F.fillStyle=Lt("--track"),F.fillRect(un,W+1,d()-un,oi-2),N.lane==="compute")for(const X of J.idle){if(X.to<n||X.from>s)continue;F.fillStyle=Lt(sm[X.cause]);const O=y(X.from);F.fillRect(O,W+4,Math.max(.5,y(X.to)-O),oi-8)}let K=-1;for(let X=qo(N,n);X<N.start.length&&N.start[X]<s;++X){const O=y(N.start[X]),pe=y(N.end[X]);if(pe<K+.5)continue;const de=Q.op[N.id[X]];N.matched[X]>N.start[X]&&(F.fillStyle=Lt("--waiting"),F.fillRect(O,W+2,Math.max(.5,y(N.matched[X])-O),oi-4));const Ee=N.matched[X]>N.start[X]?y(N.matched[X]):O;F.fillStyle=nd(de);const xe=Math.max(.6,pe-Ee);F.fillRect(Ee,W+2,xe,oi-4),K=pe,xe>46&&(F.fillStyle="#fff",F.textAlign="left",F.save(),F.beginPath(),F.rect(Math.max(Ee,un),W,pe-Math.max(Ee,un),oi),F.clip(),F.fillText(xe>180?Q.name[N.id[X]]:Q.ops[de],Math.max(Ee,un)+4,W+oi/2),F.restore())}if(o&&o.rank===B.rank&&o.lane===N){const X=y(N.start[o.index]);F.strokeStyle=Lt("--text"),F.lineWidth=2,F.strokeRect(X,W+1,Math.max(2,y(N.end[o.index])-X),oi-2)}}function E(F){if(!o)return;const B=X=>r.find(O=>O.rank===X.rank&&O.lane===X.lane).y+oi/2,N=(X,O,pe)=>{const de=y(X.lane.end[X.index]),Ee=y(O.lane.start[O.index]),xe=B(X),we=B(O);F.strokeStyle=Lt(pe),F.lineWidth=1.5,F.beginPath(),F.moveTo(de,xe),F.bezierCurveTo(de+24,xe,Ee-24,we,Ee,we),F.stroke(),F.beginPath(),F.arc(Ee,we,3,0,7),F.fillStyle=F.strokeStyle,F.fill()},W=o.lane.awaited[o.index],J=W>=0?Hl(t,o.rank,W):null;J&&N(J,o,"--edge-in"),Wf(t,o).slice(0,50).forEach(X=>N(o,X,"--edge-out"));const Q=Gf(t,o);for(const X of Q)F.strokeStyle=Lt("--edge-partner"),F.setLineDash([4,3]),F.beginPath(),F.moveTo(y(o.lane.matched[o.index]),B(o)),F.lineTo(y(X.lane.matched[X.index]),B(X)),F.stroke(),F.setLineDash([]);const K=$f([o,...Q]);for(const X of K===o?Q:Q.length?[o]:[])X!==K&&so(X)<so(K)&&kE(F,K,X,K===o?"--edge-out":"--edge-in",y,B)}function v(F,B=!1){if(o=F,F&&B){const N=F.lane.start[F.index],W=F.lane.end[F.index];(N<n||W>s)&&L((N+W)/2-(s-n)/2,(N+W)/2+(s-n)/2)}T(),D()}function D(){if(!o){Xe(f,A("p.muted",{},"Select a task to see what it waited for and what waited for it."));return}const{lane:F,index:B,rank:N}=o,W=F.id[B],J=t.plans[t.ranks[N].plan],Q=F.end[B]-F.start[B],K=F.end[B]-F.matched[B],X=[["Op",J.ops[J.op[W]]],["Rank, lane",`${t.ranks[N].rank}, ${F.lane}`],["Took",jt(Q*1e-9)],["Waited before",jt((F.start[B]-F.head[B])*1e-9)]];F.group&&X.push(["Waited for partners",jt((F.matched[B]-F.start[B])*1e-9)],["Bytes moved for",jt(K*1e-9)],["Group",F.group[B]]),X.push(...NE(t,o));const O=Re=>A("button.link",{onclick:()=>v(Re,!0)},`${V(Re.rank,Re.lane.id[Re.index])}${Re.rank===N?"":` (rank ${t.ranks[Re.rank].rank})`}`),pe=F.awaited[B],de=pe>=0?Hl(t,N,pe):null;X.push(["Waited for",de?O(de):"nothing: its lane was next"]);const Ee=Wf(t,o);Ee.length&&X.push(["Waited for this",A("span",{},...Ee.slice(0,6).flatMap(Re=>[O(Re)," "]),Ee.length>6?`and ${Ee.length-6} more`:null)]);const xe=Gf(t,o),we=$f([o,...xe]);xe.length&&we!==o&&K<Q&&X.push(["Waited across ranks for",O(we)]),xe.length&&we===o&&X.push(["The others waited for","this rank: it started last"]),F.group&&xe.length===0&&X.push(["Partners",A("button.link",{onclick:()=>void H(o)},"show their ranks")]),xe.length&&X.push(["Partners",A("span",{},...xe.slice(0,8).flatMap(Re=>[O(Re)," "]))]),Xe(f,A("h2",{},J.name[W]),A("dl.facts",{},...X.flatMap(([Re,Ge])=>[A("dt",{},Re),A("dd",{},Ge)]))),vr(`${J.name[W]}, ${jt(Q*1e-9)}`)}async function H(F){const B=t.ranks[F.rank].rank,N=F.lane.group[F.index],W=F.lane.id[F.index],Q=(await gn(`/api/runs/${e.run.id}/peers?rank=${B}`)).groups.find(we=>we.key===N)?.members??[],K=new Set(l.ranks.map(we=>we.rank)),X=Q.indexOf(B),O=Q.filter(we=>K.has(we)).sort((we,Re)=>Math.abs(Q.indexOf(we)-X)-Math.abs(Q.indexOf(Re)-X)).slice(0,FE);if(a||O.length<2)return vr("the partners have no records");const[pe,de]=[n,s],Ee=[...new Set([...t.ranks.map(we=>we.rank),...O])].sort((we,Re)=>we-Re);e.remember({ranks:Ee.join(","),step:String(t.step)}),c.querySelector("input").value=Ee.join(","),await G();const xe=t?t.ranks.findIndex(we=>we.rank===B):-1;xe<0||(v(Hl(t,xe,W)),L(pe,de))}function L(F,B){const N=Math.min(Math.max(B-F,OE),t.end);n=Math.min(Math.max(0,F),t.end-N),s=n+N,T()}function j(F,B=(n+s)/2){L(B-(B-n)*F,B+(s-B)*F)}function q(F){const B=u.getBoundingClientRect(),N=F.clientX-B.left,W=F.clientY-B.top,J=r.find(X=>X.lane&&W>=X.y&&W<X.y+oi);if(!J?.lane||N<un)return null;const Q=(s-n)/(d()-un)*2,K=qo(J.lane,M(N)-Q);return K<J.lane.start.length&&J.lane.start[K]<=M(N)+Q?{rank:J.rank,lane:J.lane,index:K}:null}u.addEventListener("wheel",F=>{if(!t||F.shiftKey)return;F.preventDefault();const B=u.getBoundingClientRect();Math.abs(F.deltaX)>Math.abs(F.deltaY)?L(n+F.deltaX*(s-n)/d(),s+F.deltaX*(s-n)/d()):j(Math.exp(F.deltaY*.0016),M(F.clientX-B.left))},{passive:!1});let te=null;u.addEventListener("pointerdown",F=>{te={x:F.clientX,from:n,to:s,moved:!1},u.setPointerCapture(F.pointerId)}),u.addEventListener("pointermove",F=>{if(!t)return;if(!te){const N=q(F);u.title=N?`${V(N.rank,N.lane.id[N.index])}  ${jt((N.lane.end[N.index]-N.lane.start[N.index])*1e-9)}`:"";return}const B=(te.x-F.clientX)/(d()-un)*(te.to-te.from);Math.abs(te.x-F.clientX)>3&&(te.moved=!0),te.moved&&L(te.from+B,te.to+B)}),u.addEventListener("pointerup",F=>{te&&!te.moved&&t&&v(q(F)),te=null}),u.addEventListener("dblclick",F=>{const B=t?q(F):null;B&&L(B.lane.start[B.index],B.lane.end[B.index])});function ie(F){if(!t)return!1;const B=s-n;switch(F.key){case"a":return L(n-.2*B,s-.2*B),!0;case"d":return L(n+.2*B,s+.2*B),!0;case"w":return j(.7),!0;case"s":return j(1.4),!0;case"0":return L(0,t.end),!0;case"Escape":return v(null),!0;case"ArrowLeft":case"ArrowRight":{const N=F.key==="ArrowRight"?1:-1,W=o?.lane??t.ranks[0].lanes[0],J=o?o.index+N:qo(W,n);return W.id[J]!==void 0&&v({rank:o?.rank??0,lane:W,index:J},!0),!0}case"ArrowUp":case"ArrowDown":{const N=r.filter(K=>K.lane),W=o?N.findIndex(K=>K.rank===o.rank&&K.lane===o.lane):-1,J=N[W+(F.key==="ArrowDown"?1:-1)];if(!J?.lane)return!0;const Q=o?o.lane.start[o.index]:n;return v({rank:J.rank,lane:J.lane,index:Math.min(qo(J.lane,Q),J.lane.id.length-1)},!0),!0}default:return!1}}function ne(F,B){const{job:N}=e.run;if(!N)return[F.rank];let W;if(B==="expert")W=XM(F.rank,N);else{const Q={tensor:1,context:N.tensor,data:N.tensor*N.context,pipeline:N.tensor*N.context*N.data}[B];W=Array.from({length:N[B]},(K,X)=>F.rank+(X-F.at[B])*Q)}const J=new Set(l.ranks.map(Q=>Q.rank));return l.reading?W:W.filter(Q=>J.has(Q))}function fe(){const F=e.parameters.get("ranks")??String(l.ranks[0].rank),B=A("input",{value:F,size:16,spellcheck:"false",placeholder:"0-3,8"});B.addEventListener("change",()=>{e.remember({ranks:B.value}),G()});const N=Jn(l.steps.slice().reverse().slice(0,64).map(J=>({value:String(J),label:String(J)})),e.parameters.get("step")??"",J=>{e.remember({step:J}),G()}),W=Jn([{value:"",label:"choose …"},...["pipeline","data","tensor","context",...(e.run.job?.expert??1)>1?["expert"]:[]].map(J=>({value:J,label:`${J} group`}))],"",J=>{const Q=Number.parseInt(B.value,10),K=l.ranks.find(X=>X.rank===Q)??l.ranks[0];J&&(B.value=ne(K,J).join(","),e.remember({ranks:B.value}),G())});Xe(c,wn("Ranks",B),wn("Their group",W),wn("Step",N),A("button",{onclick:()=>t&&L(0,t.end),title:"Key 0"},"Whole step"),A("button",{onclick:()=>void G()},"Newest step"),A("span.muted",{title:"Writes a trace that ui.perfetto.dev opens"},"Perfetto: ",A("code",{},`megascale trace ${e.run.path}`))),c.querySelectorAll("button")[1].addEventListener("click",()=>e.remember({step:null}),{capture:!0})}async function G(){const F=e.parameters.get("ranks")??String(l.ranks[0].rank),B=e.parameters.get("step");try{const N=await gn(`/api/runs/${e.run.id}/timeline?ranks=${encodeURIComponent(F)}${B?`&step=${B}`:""}`);if(a)return;t=N,o=null,_.replaceChildren(),n=0,s=N.end,h.hidden=p.hidden=f.hidden=!1,Xe(p,A("span",{},`step ${N.step}, ${jt(N.end*1e-9)}`),...Object.keys(qf).map(W=>A("span",{},A(`i.${W}`),qf[W])),A("span",{},A("i.waiting"),"waits for a partner")),T(),D()}catch(N){if(a)return;h.hidden=p.hidden=f.hidden=!0,Xe(_,Zt("This step cannot be shown",N.message,N.status===404?"empty":"error"))}}async function ce(){try{l=await no(e.run,64,"")}catch(F){h.hidden=f.hidden=p.hidden=!0,Xe(_,Zt("No records of ranks",F.message,F.status===404?"empty":"error"));return}a||(fe(),await G())}return ce(),{leave(){a=!0,m.disconnect(),x()},key:ie}}const ro=[{name:"run",title:"Run",show:wE},{name:"ranks",title:"Heat map",show:pE},{name:"timeline",title:"Timeline",show:BE},{name:"grid",title:"3D",show:uS},{name:"plan",title:"Plan",show:yE},{name:"cluster",title:"Cluster",show:Kp},{name:"routing",title:"Routing",show:IE}],hc=document.getElementById("bar"),Qo=document.getElementById("page");let Pn=[],ea=null;function ha(){const[i="",e=""]=location.hash.replace(/^#\/?/,"").split("?"),[t="0",n="run"]=i.split("/");return{run:Math.max(0,Pn.findIndex(s=>String(s.id)===t)),page:ro.some(s=>s.name===n)?n:"run",parameters:new URLSearchParams(e)}}function Ts(i,e,t){const n=t?.toString();return`#/${i}/${e}${n?`?${n}`:""}`}function Ep(i,e){const t=i.kind==="trained"&&(i.age_seconds??1/0)<60,n=i.kind==="simulated"?"simulated":i.kind==="measured"?"no metrics":t?"live":i.kind==="empty"?"empty":"not writing";Xe(hc,A("a.brand",{href:Ts(i.id,"run")},"megascale"),Pn.length>1?A("label.field.inline",{},A("span.unseen",{},"Run"),Jn(Pn.map(s=>({value:String(s.id),label:s.name})),String(i.id),s=>{location.hash=Ts(Number(s),e)})):A("span.run",{title:i.path},i.name),A(`span.state.${n.replace(" ","-")}`,{},n),A("nav",{"aria-label":"Pages"},...ro.map((s,r)=>A("a",{href:Ts(i.id,s.name),"aria-current":s.name===e?"page":void 0,title:`Key ${r+1}`},s.title))),A("button.plain",{onclick:Qf,title:"Light or dark (key t)","aria-label":"Light or dark"},"◐"),A("button.plain",{onclick:bp,title:"Keys (key ?)","aria-label":"Keys"},"?"))}function jf(){const{run:i,page:e,parameters:t}=ha(),n=Pn[i];if(ea?.leave(),ea=null,!n)return;Ep(n,e);const s=ro.find(o=>o.name===e);document.title=`${n.name} · ${s.title} · megascale`;const r={runs:Pn,run:n,parameters:t,remember(o){for(const[a,l]of Object.entries(o))l===null?t.delete(a):t.set(a,l);history.replaceState(null,"",Ts(n.id,e,t))},go(o,a={}){location.hash=Ts(n.id,o,new URLSearchParams(a))}};Xe(Qo,A("h1.unseen",{},`${s.title} of ${n.name}`)),Qo.className=`page-${e}`,ea=s.show(Qo,r),vr(`${s.title} of ${n.name}`)}function bp(){const i=[["1 to 7","pages"],["arrows","routing: go from cell to cell"],["t","light or dark"],["[ and ]","previous and next run"],["arrows, Enter","heat map: choose a rank, open it"],["arrows, Page Up, Page Down","3D: choose a rank"],["w s","3D: zoom"],["a d, w s","timeline: move, zoom"],["0","timeline: the whole step; 3D: the whole grid"],["Esc","close"]],e=A("dialog",{"aria-label":"Keys"},A("h2",{},"Keys"),A("dl.keys",{},...i.flatMap(([t,n])=>[A("dt",{},t),A("dd",{},n)])),A("button",{onclick:()=>e.close()},"Close"));e.addEventListener("close",()=>e.remove()),document.body.append(e),e.showModal()}function zE(i){const e=i.target;if(i.ctrlKey||i.metaKey||i.altKey||document.querySelector("dialog[open]")||/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName))return;if(ea?.key?.(i))return i.preventDefault();const{run:t,parameters:n}=ha(),s=Pn[t],r=Number(i.key);if(s&&r>=1&&r<=ro.length)location.hash=Ts(s.id,ro[r-1].name);else if(i.key==="t")Qf();else if(i.key==="?")bp();else if((i.key==="["||i.key==="]")&&Pn.length>1){const o=(t+(i.key==="]"?1:Pn.length-1))%Pn.length;location.hash=Ts(Pn[o].id,ha().page,n)}}async function HE(){$p();try{Pn=(await gn("/api/runs")).runs}catch(i){const e=i;Xe(Qo,Zt(e.status===401?"No access":"No connection",e.message,"error"));return}addEventListener("hashchange",jf),addEventListener("keydown",zE),jf(),setInterval(async()=>{try{const i=(await gn("/api/runs")).runs;for(const n of i)Object.assign(Pn.find(s=>s.id===n.id)??{},n);const{run:e,page:t}=ha();Pn[e]&&!hc.contains(document.activeElement)&&Ep(Pn[e],t)}catch{const i=hc.querySelector(".state");i&&(i.className="state lost",i.textContent="server gone")}},5e3)}HE();
